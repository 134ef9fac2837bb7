// The parts of a container of the local node: what it may be, paths, variables, the started process.
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import {
  defaultBackoff,
  restartDelayMs,
  terminatedBy,
} from '../../../../src/dev/node/container-exit.ts';
import { expand } from '../../../../src/dev/node/environment.ts';
import { launchOf } from '../../../../src/dev/node/launch.ts';
import { pathMapper } from '../../../../src/dev/node/paths.ts';
import { type Container, unsupportedPart } from '../../../../src/dev/node/pod.ts';

const mounts = [
  { path: '/data', target: '/real/w' },
  { path: '/data/deep/', target: '/real/d' },
  { path: '/app', target: '/real/data' },
];

test.each([
  ['/data', '/real/w'],
  ['/data/', '/real/w/'],
  ['/data/a/b', '/real/w/a/b'],
  ['/data/deep', '/real/d'],
  ['/data/deep/a', '/real/d/a'],
  ['/data/deeper', '/real/w/deeper'],
  ['--out=/data/a', '--out=/real/w/a'],
  ['/data:/app', '/real/w:/real/data'],
  ['cat "/data/a" >/data/b', 'cat "/real/w/a" >/real/w/b'],
  ['file:///data/a', 'file:///real/w/a'],
  ['/database', '/database'],
  ['/data-a', '/data-a'],
  ['/home/data', '/home/data'],
  ['./data', './data'],
  ['http://data/data', 'http://data/data'],
  ['http://127.0.0.1:80/data', 'http://127.0.0.1:80/data'],
])('the path %s maps to %s', (inside, real) => {
  expect(pathMapper(mounts)(inside)).toBe(real);
});

test('a text is unchanged when nothing is mounted, or only the root', () => {
  expect(pathMapper([])('/data')).toBe('/data');
  expect(pathMapper([{ path: '/', target: '/real' }])('/data')).toBe('/data');
});

test.each([
  ['$(A)', '1'],
  ['$(A)$(B)', '12'],
  ['$(C)', '$(C)'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$1'],
  ['$A {A}', '$A {A}'],
  ['$(toString)', '$(toString)'],
])('%s expands to %s', (text, expanded) => {
  expect(expand(text, { A: '1', B: '2' })).toBe(expanded);
});

const plain: Container = {
  name: 'a',
  image: 'known',
  command: ['node'],
  terminationMessagePolicy: 'FallbackToLogsOnError',
};

test.each([
  [{ command: undefined }, '.command is required, because there is no image'],
  [{ envFrom: [] }, '.envFrom is not supported'],
  [{ lifecycle: {} }, '.lifecycle is not supported'],
  [{ restartPolicy: 'Always' }, '.restartPolicy is not supported'],
  [{ livenessProbe: { exec: { command: ['true'] } } }, '.livenessProbe.exec is not supported'],
  [
    { readinessProbe: { httpGet: { path: '/', port: 80, scheme: 'HTTPS' } } },
    '.readinessProbe.httpGet.scheme must be HTTP',
  ],
  [
    { readinessProbe: { httpGet: { path: '/', port: 'http' } } },
    '.readinessProbe.httpGet.port has a form that is not supported',
  ],
  [
    { env: [{ name: 'A', valueFrom: { configMapKeyRef: {} } }] },
    '.env[0].valueFrom.configMapKeyRef is not supported',
  ],
  [
    { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
    '.env[0].valueFrom.fieldRef.fieldPath must be status.podIP',
  ],
  [
    { volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }] },
    '.volumeMounts[0].subPath is not supported',
  ],
])('a container with %j is refused: %s', (more, why) => {
  const containers = [plain, { ...plain, ...more }];
  const spec = { automountServiceAccountToken: false, restartPolicy: 'Always', containers };
  expect(unsupportedPart(spec)).toBe(`spec.containers[1]${why}`);
});

test.each([
  [{ hostNetwork: true }, 'spec.hostNetwork is not supported'],
  [{ restartPolicy: 'OnFailure' }, 'spec.restartPolicy must be Always or Never'],
  [{ automountServiceAccountToken: undefined }, 'spec.automountServiceAccountToken must be false'],
  [{ volumes: [{ name: 'v', configMap: {} }] }, 'spec.volumes[0].configMap is not supported'],
  [
    { volumes: [{ name: 'v', secret: { secretName: 's', items: [{ key: 'a', path: 'b/a' }] } }] },
    'spec.volumes[0].secret.items[0].path has a form that is not supported',
  ],
])('a pod with %j is refused: %s', (more, why) => {
  const spec = { automountServiceAccountToken: false, restartPolicy: 'Never', containers: [plain] };
  expect(unsupportedPart({ ...spec, ...more })).toBe(why);
});

function launched(
  container: Partial<Container>,
  environment: Record<string, string> = {},
  variables: Record<string, string> = {},
) {
  return launchOf({
    container: { ...plain, ...container },
    imageRoots: { known: '/checkout' },
    mounts: [{ path: '/data', target: '/real/w' }],
    environment,
    folder: '/pods/1',
    hostname: 'p',
    searchPath: '/usr/bin',
    variables,
  });
}

test('a command is expanded first and mapped once', () => {
  const { command, args, env } = launched(
    { command: ['node', '/app/src/main.ts', '$(OUT)'] },
    { OUT: '/data/out' },
  );
  expect([command, ...args]).toEqual(['node', '/checkout/src/main.ts', '/real/w/out']);
  expect(env['OUT']).toBe('/real/w/out');
});

test('the environment contains nothing of Fairlead, and finds its Node first', () => {
  const { env, cwd } = launched({});
  expect(Object.keys(env).sort()).toEqual(['HOME', 'HOSTNAME', 'PATH', 'TMPDIR']);
  expect(env['PATH']).toBe(`${dirname(process.execPath)}:/usr/bin`);
  expect(env['HOME']).toMatch(/^\/pods\/1\//);
  expect(cwd).toBe('/checkout');
});

test('a container gets the variables of the node unless its pod overrides them', () => {
  const variables = { HTTPS_PROXY: 'http://proxy:1', NO_PROXY: 'localhost' };
  const { env } = launched({}, { NO_PROXY: 'pod' }, variables);
  expect(env).toMatchObject({ HTTPS_PROXY: 'http://proxy:1', NO_PROXY: 'pod' });
});

test.each(['postgres', 'toString'])('the image %s is not on this machine', (image) => {
  expect(() => launched({ image })).toThrow(/only these images: known/);
});

test('restarts have an increasing backoff, except the first', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 8, 500].map((crashes) =>
    restartDelayMs(crashes, defaultBackoff),
  );
  expect(delays.map((ms) => ms / 1_000)).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60]);
});

test.each([
  [
    { code: 0, signal: null },
    { exitCode: 0, reason: 'Completed' },
  ],
  [
    { code: 3, signal: null },
    { exitCode: 3, reason: 'Error' },
  ],
  [
    { code: null, signal: 'SIGTERM' },
    { exitCode: 143, reason: 'Error' },
  ],
  [
    { code: 127, signal: null, error: new Error('ENOENT') },
    { exitCode: 128, reason: 'StartError', message: 'ENOENT' },
  ],
] as const)('an exit of %o is reported as %o', (end, want) => {
  const run = { startedAt: '', finishedAt: new Date(0), containerID: '', message: '' };
  expect(terminatedBy(end, run)).toMatchObject(want);
});
