// Volumes on the local node follow their Secrets while a container runs, as those of a kubelet do.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type NodeUnderTest, nodeUnderTest, podSpec, testImage } from '../../support/local-node.ts';

let node: NodeUnderTest;

beforeAll(async () => {
  node = await nodeUnderTest();
});
afterAll(() => node.stop());

/** Prints the files and their contents whenever they change. */
const watcher = `
const { readdirSync, readFileSync } = require('node:fs');
let last = '';
setInterval(() => {
  const files = readdirSync(process.argv[1]).filter((name) => !name.endsWith('.new'));
  const now = JSON.stringify(files.map((name) => [name, readFileSync(process.argv[1] + '/' + name, 'utf8')]));
  if (now !== last) console.log(now);
  last = now;
}, 100);
`;

test('a running container gets the keys of its Secret, their changes and their removal', async () => {
  const secret = (stringData: object) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'keys' },
    stringData,
  });
  const items = ['one', 'two'].map((key) => ({ key, path: key }));
  const spec = podSpec({
    spec: {
      volumes: [{ name: 'keys', secret: { secretName: 'keys', optional: true, items } }],
      containers: [
        {
          name: 'main',
          image: testImage,
          command: ['node', '-e', watcher, '/run/keys'],
          volumeMounts: [{ name: 'keys', mountPath: '/run/keys' }],
        },
      ],
    },
  });
  await node.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'watcher' }, spec });
  const printed = (line: unknown) =>
    eventually(async () => {
      expect(await node.kubectl('logs', 'watcher')).toContain(JSON.stringify(line));
    }, 30_000);
  await printed([]);
  await node.create(secret({ one: 'a', other: 'hidden' }));
  await printed([['one', 'a']]);
  await node.kubectl('patch', 'secret', 'keys', '-p', '{"stringData":{"one":"b","two":"c"}}');
  await printed([
    ['one', 'b'],
    ['two', 'c'],
  ]);
  await node.kubectl('patch', 'secret', 'keys', '-p', '{"data":{"one":null}}');
  await printed([['two', 'c']]);
  expect(await node.kubectl('logs', 'watcher')).not.toContain('hidden');
});
