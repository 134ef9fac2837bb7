// Provider code from a folder to a resource that is ready: pushed, built, deployed, rolled, broken, rolled back and removed,
// with real npm, Jobs and Deployments of the real controllers, and pods on the local node.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tarOf } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { type Caller, Fairlead } from '../support/fairlead.ts';

let fairlead: Fairlead;
let acme: Caller;
let namespace: string;
let folder: string;
const credentials = (auth: string) => JSON.stringify({ auths: { 'registry.example': { auth } } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-pull-'));
  const pull = join(folder, 'config.json');
  await writeFile(pull, credentials('Zmlyc3Q6MQ=='));
  const env = {
    FAIRLEAD_RETRY_BASE_MS: '100',
    FAIRLEAD_PULL_SECRET_FILE: pull,
    FAIRLEAD_MIN_READY_SECONDS: '3',
  };
  fairlead = await Fairlead.start({ env });
  acme = await fairlead.caller('acme');
  ({ namespace } = (await acme.get('/auth/me')).body as { namespace: string });
});

afterAll(async () => {
  await fairlead?.destroy();
  await rm(folder, { recursive: true, force: true });
});

const manifest = JSON.stringify({
  name: 'crates',
  version: '1.0.0',
  type: 'module',
  exports: './index.ts',
});

/** @param before lines in front of the provider */
function code(label: string, before = ''): string {
  return `import { provider, resource, z } from 'fairlead/provider';
${before}
const made = ({ config, name }: { config: { size: number }; name: string }) => ({
  label: '${label}', url: \`crate://\${name}/\${config.size}\`,
});
export default provider('crates', [
  resource('crate', {
    description: 'A crate',
    config: z.strictObject({ size: z.int().min(1).default(3) }),
    outputs: z.object({ label: z.string(), url: z.string() }),
    create: async (call) => made(call),
    update: async (call) => made(call),
    async delete() {},
  }),
]);
`;
}

interface Pushed {
  readonly version: string;
  readonly job_name: string;
}

async function push(source: string): Promise<Pushed> {
  const form = new FormData();
  const archive = tarOf(
    { path: 'package.json', body: manifest },
    { path: 'index.ts', body: source },
  );
  form.set('code', new Blob([new Uint8Array(archive)]), 'code.tar');
  const answer = await fetch(`${fairlead.url}/providers/crates/push`, {
    method: 'POST',
    headers: { authorization: `Bearer ${acme.token}` },
    body: form,
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Pushed;
}

/** Reads the log while the build runs, to its end. */
async function log(job: string): Promise<string> {
  const answer = await fetch(`${fairlead.url}/providers/crates/builds/${job}/logs`, {
    headers: { authorization: `Bearer ${acme.token}` },
  });
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  return await answer.text();
}

async function built(source: string): Promise<Pushed> {
  const pushed = await push(source);
  await log(pushed.job_name);
  const { body } = await acme.get(`/providers/crates/builds/${pushed.job_name}`);
  expect(body).toMatchObject({ status: 'success', error_message: null });
  return pushed;
}

async function deploymentIs(wanted: object): Promise<void> {
  await eventually(async () => {
    expect((await acme.get('/providers/crates/deployment')).body).toMatchObject(wanted);
  }, 60_000);
}

function apply(name: string, size: number) {
  const body = { provider: 'crates', resource: 'crate', name, config: { size } };
  return acme.post('/resources/apply', { ...body, lifecycle_state: 'pending' });
}

async function becomes(name: string, outputs: object, version?: string): Promise<void> {
  await eventually(async () => {
    const { body } = await acme.get(`/resources/crates:crate:${name}`);
    expect(body).toMatchObject({ lifecycle_state: 'ready', outputs });
    if (version !== undefined) expect(body).toMatchObject({ provider_version: version });
  }, 30_000);
}

let first: Pushed;
let second: Pushed;

it('builds what is pushed, shows the log live, and says so when it is done', async () => {
  first = await push(code('one'));
  const lines = await log(first.job_name);
  expect(lines).toContain('$ npm install');
  // Who has read to the end asks what came of it, and gets the answer.
  const { body } = await acme.get(`/providers/crates/builds/${first.job_name}`);
  expect(body).toMatchObject({ status: 'success', version: first.version, error_message: null });
  // Where the build was quiet for long, the live stream has empty lines.
  const said = (text: string) => text.split('\n').filter((line) => line !== '');
  expect(said(await log(first.job_name))).toEqual(said(lines));
});

it('deploys the newest version, registers its types, and sends it events', async () => {
  expect((await acme.post('/providers/crates/deploy', {})).status).toBe(200);
  await deploymentIs({ status: 'available', version: first.version, available_replicas: 1 });
  expect((await apply('a', 5)).status).toBe(200);
  await becomes('a', { label: 'one', url: 'crate://a/5' }, first.version);
  const invalid = await apply('b', 0);
  expect(invalid.status).toBe(422);
});

it('lets kubelets fetch the image with what the administrator named, and with other credentials from then on', async () => {
  const read = async (path: string, ...object: readonly string[]) =>
    (await fairlead.kubectl('get', '-n', namespace, ...object, '-o', `jsonpath=${path}`)).trim();
  const holders = [`job/${first.job_name}`, 'deployment/provider-crates'];
  const named = '{.spec.template.spec.imagePullSecrets[*].name}';
  const config = "{.data['\\.dockerconfigjson']}";
  for (const holder of holders) {
    const content = await read(config, 'secret', await read(named, holder));
    expect(Buffer.from(content, 'base64').toString(), holder).toBe(credentials('Zmlyc3Q6MQ=='));
  }
  await writeFile(join(folder, 'config.json'), credentials('c2Vjb25kOjI='));
  await fairlead.kubectl('delete', 'pods', '-n', namespace, '-l', 'fairlead.dev/version');
  await eventually(async () => {
    const content = await read(config, 'secret', await read(named, holders[1] ?? ''));
    expect(Buffer.from(content, 'base64').toString()).toBe(credentials('c2Vjb25kOjI='));
  });
  await deploymentIs({ status: 'available', version: first.version });
});

it('takes the same bytes for what they are: built already', async () => {
  const again = await push(code('one'));
  await eventually(async () => {
    const { body } = await acme.get(`/providers/crates/builds/${again.job_name}`);
    expect(body).toMatchObject({ status: 'success' });
  });
  const jobs = await fairlead.kubectl('get', 'jobs', '-n', namespace, '-o', 'name');
  expect(jobs).not.toContain(again.job_name);
});

it('rolls to another version without losing an event', async () => {
  second = await built(code('two'));
  expect((await acme.post('/providers/crates/deploy', {})).status).toBe(200);
  let size = 10;
  const names = ['a', 'r1', 'r2', 'r3'];
  await eventually(async () => {
    size += 1;
    for (const name of names) expect([200, 409]).toContain((await apply(name, size)).status);
    const { body } = await acme.get('/providers/crates/deployment');
    expect(body).toMatchObject({ status: 'available', version: second.version });
  }, 60_000);
  for (const name of names) {
    await eventually(async () => expect((await apply(name, 100)).status).toBe(200));
    await becomes(name, { label: 'two', url: `crate://${name}/100` });
  }
  const events = await fairlead.kubectl(
    'get',
    'configmaps',
    '-n',
    namespace,
    '-l',
    'fairlead.dev/dead-letter',
    '-o',
    'name',
  );
  expect(events.trim()).toBe('');
});

it('keeps the old version serving when a new one crashes, says why, and rolls back', async () => {
  const crashing =
    "if (process.env['POD_IP'] !== undefined) throw new Error('no luck today with token=s3cr3t');";
  const broken = await built(code('three', crashing));
  await acme.post('/providers/crates/deploy', { version: broken.version });
  await deploymentIs({
    status: 'failed',
    message: expect.stringContaining('no luck today with token=[masked]'),
  });
  await apply('a', 200);
  await becomes('a', { label: 'two', url: 'crate://a/200' });
  const back = await acme.post('/providers/crates/rollback', {});
  expect(back.body).toMatchObject({ version: second.version });
  await deploymentIs({ status: 'available', version: second.version });
});

/** Of a process in a pod; a build only reads the types. */
const throwsAfter = (ms: number) =>
  `if (process.env['POD_IP'] !== undefined) setTimeout(() => { throw new Error('Boom'); }, ${ms});`;

it('does not let a version take over that crashes just after it is ready', async () => {
  const broken = await built(code('four', throwsAfter(1_500)));
  await acme.post('/providers/crates/deploy', { version: broken.version });
  const message = 'The process ended with code 1: Error: Boom (index.ts:2)';
  await deploymentIs({ status: 'progressing', version: broken.version, message });
  await apply('a', 300);
  await becomes('a', { label: 'two', url: 'crate://a/300' });
  await deploymentIs({ status: 'failed', version: broken.version, message });
  await acme.post('/providers/crates/rollback', {});
  await deploymentIs({ status: 'available', version: second.version });
});

it('offers the version before when one fails that took over', async () => {
  const broken = await built(code('five', throwsAfter(9_000)));
  await acme.post('/providers/crates/deploy', { version: broken.version });
  await deploymentIs({ status: 'available', version: broken.version });
  const words = new RegExp(
    String.raw`^Version ${broken.version} failed \d+ s after it took over: The process ended with code 1: Error: Boom \(index\.ts:2\); roll back with POST /providers/crates/rollback to ${second.version}$`,
  );
  await deploymentIs({ version: broken.version, message: expect.stringMatching(words) });
  const back = await acme.post('/providers/crates/rollback', {});
  expect(back.body).toMatchObject({ version: second.version });
  await deploymentIs({ status: 'available', version: second.version });
  await apply('a', 400);
  await becomes('a', { label: 'two', url: 'crate://a/400' });
});

it('tells of builds and versions in Events', async () => {
  const text = await fairlead.kubectl('get', 'events', '-n', namespace, '-o', 'json');
  const { items } = JSON.parse(text) as {
    items: { type: string; reason: string; involvedObject: { kind: string; name: string } }[];
  };
  const told = (kind: string, name: string) =>
    items
      .filter(({ involvedObject: about }) => about.kind === kind && about.name === name)
      .map(({ type, reason }) => `${type} ${reason}`);
  expect(told('Build', first.job_name).sort()).toEqual(['Normal Building', 'Normal Built']);
  expect(told('Provider', 'crates')).toEqual(
    expect.arrayContaining(['Normal Progressing', 'Normal Available', 'Warning DeploymentFailed']),
  );
});

const mistakes = {
  'a dependency that is not there': {
    source: "import 'no-such-package-of-anybody';\nexport default 1;",
    error: /no-such-package-of-anybody/,
  },
  'no default export': { source: 'export const nothing = 1;', error: /default export/ },
  'code that names another provider': {
    source: code('x').replace("provider('crates'", "provider('boxes'"),
    error: /boxes/,
  },
};

it.each(Object.entries(mistakes))('says what is wrong: %s', async (_what, { source, error }) => {
  const { job_name } = await push(source);
  await log(job_name);
  const { body } = await acme.get(`/providers/crates/builds/${job_name}`);
  expect(body).toMatchObject({ status: 'failed', error_message: expect.stringMatching(error) });
  await eventually(async () => {
    const about = `involvedObject.kind=Build,involvedObject.name=${job_name}`;
    const words = ['get', 'events', '-n', namespace, '--field-selector', about, '--no-headers'];
    expect(await fairlead.kubectl(...words)).toMatch(/Warning +BuildFailed/);
  });
});

it('is removed only with its resources, which it deletes itself', async () => {
  const refused = await acme.delete('/providers/crates');
  expect(refused).toMatchObject({ status: 409, body: { code: 'provider_in_use' } });
  expect((await acme.delete('/providers/crates?cascade=true')).status).toBe(200);
  await eventually(async () => {
    const left = await fairlead.kubectl(
      'get',
      'resources,providers,deployments',
      '-n',
      namespace,
      '-o',
      'name',
    );
    expect(left.trim()).toBe('');
  }, 60_000);
  expect((await acme.get('/providers/crates/deployment')).status).toBe(404);
});
