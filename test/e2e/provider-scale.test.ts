// A provider with several pods, on a whole Fairlead: set by a deploy and by the subresource `scale`, as an autoscaler does. Every
// pod gets events, and none is lost when pods end.
import { beforeAll, expect, it } from 'vitest';
import { type Author, authorOf, code } from '../support/fixtures/code/author.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Caller, Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

let fairlead: Fairlead;
let author: Author;
let acme: Caller;

beforeAll(async () => {
  fairlead = await sharedFairlead('standard');
  author = await authorOf(fairlead, 'provider-scale');
  acme = author.caller;
  // Long enough that pods end while handlers run.
  const slow = 'const pause = () => new Promise((done) => setTimeout(done, 1_500));';
  await author.built(code('one', slow).replace('async create(call) {', '$& await pause();'));
});

const kubectl = (...words: readonly string[]) => fairlead.kubectl(...words, '-n', author.namespace);
const budgets = async () => (await kubectl('get', 'poddisruptionbudgets', '-o', 'name')).trim();
const waitingFor = (name: string) => author.becomes(name, { url: `crate://${name}/1` });

it('runs as many pods as a deploy asks for, and gives events to each', async () => {
  expect((await acme.post('/providers/crates/deploy', { replicas: 3 })).status).toBe(200);
  await author.deploymentIs({ status: 'available', replicas: 3, available_replicas: 3 });
  expect(await budgets()).toBe('poddisruptionbudget.policy/provider-crates');
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  await Promise.all(names.map((name) => author.apply(name, 1)));
  await Promise.all(names.map(waitingFor));
  const pods = await kubectl('get', 'pods', '-l', 'fairlead.dev/version', '-o', 'name');
  const made = pods
    .trim()
    .split('\n')
    .map(async (pod) => (await kubectl('logs', pod)).split('making ').length - 1);
  expect(await Promise.all(made)).toEqual([2, 2, 2]);
});

it('is scaled by the subresource, and loses no event when pods end', async () => {
  const names = Array.from({ length: 24 }, (_, index) => `many-${index}`);
  const early = names.slice(0, 12);
  await Promise.all(early.map((name) => author.apply(name, 1)));
  await kubectl('scale', 'provider.fairlead.dev/crates', '--replicas=1');
  for (const name of names.slice(12)) await author.apply(name, 1);
  await Promise.all(names.map(waitingFor));
  await author.deploymentIs({ status: 'available', replicas: 1, available_replicas: 1 });
  await eventually(async () => expect(await budgets()).toBe(''));
  expect((await acme.get('/ops/dead-letter')).body).toEqual([]);
  const scale = ['get', '--raw'];
  const path = `/apis/fairlead.dev/v1alpha1/namespaces/${author.namespace}/providers/crates/scale`;
  expect(JSON.parse(await fairlead.kubectl(...scale, path))).toMatchObject({
    spec: { replicas: 1 },
    status: { replicas: 1, selector: 'fairlead.dev/provider=crates,fairlead.dev/version' },
  });
});

it('keeps the number that the subresource set, and refuses 0', async () => {
  await kubectl('scale', 'provider.fairlead.dev/crates', '--replicas=2');
  expect((await acme.post('/providers/crates/deploy', {})).body).toMatchObject({ replicas: 2 });
  await expect(kubectl('scale', 'provider.fairlead.dev/crates', '--replicas=0')).rejects.toThrow(
    /must be 1 to 10; with 0 pods events would wait/,
  );
});
