// Versions of a provider that fail after they were built, on a whole Fairlead: the previous version keeps serving, the answer
// contains the reason, and a rollback is one request. Also the pull credentials of pods.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Author, authorOf, code, type Pushed } from '../../support/fixtures/code/author.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type Caller, Fairlead } from '../../support/servers/fairlead.ts';

let fairlead: Fairlead;
let author: Author;
let acme: Caller;
let namespace: string;
let folder: string;
let first: Pushed;
const credentials = (auth: string) => JSON.stringify({ auths: { 'registry.example': { auth } } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-pull-'));
  const pull = join(folder, 'config.json');
  await writeFile(pull, credentials('Zmlyc3Q6MQ=='));
  const env = {
    FAIRLEAD_RETRY_BASE_MS: '100',
    FAIRLEAD_PULL_SECRET_FILE: pull,
    FAIRLEAD_MIN_READY_SECONDS: '3',
    FAIRLEAD_NPM_REGISTRY: inject('npmRegistry'),
  };
  fairlead = await Fairlead.start({ env });
  author = await authorOf(fairlead, 'acme');
  ({ caller: acme, namespace } = author);
  first = await author.built(code('one'));
  await acme.post('/providers/crates/deploy', {});
  await author.deploymentIs({ status: 'available', version: first.version });
});

afterAll(async () => {
  await fairlead?.destroy();
  await rm(folder, { recursive: true, force: true });
});

it('gives pods the pull secret of the administrator, and its new content after a change', async () => {
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
  await author.deploymentIs({ status: 'available', version: first.version });
});

it('keeps the old version serving when a new one crashes, reports the reason, and rolls back', async () => {
  const crashing =
    "if (process.env['POD_IP'] !== undefined) throw new Error('no luck today with token=s3cr3t');";
  const broken = await author.built(code('three', crashing, 'z.strictObject({ weight: z.int() })'));
  await acme.post('/providers/crates/deploy', { version: broken.version });
  await author.deploymentIs({
    status: 'failed',
    message: expect.stringContaining('no luck today with token=[masked]'),
  });
  // Its types are not in force, and those that are stay.
  expect((await author.apply('a', 200)).status).toBe(200);
  await author.becomes('a', { label: 'one', url: 'crate://a/200' });
  const misfit = { provider: 'crates', resource: 'crate', name: 'b', config: { weight: 1 } };
  expect(
    await acme.post('/resources/apply', { ...misfit, lifecycle_state: 'pending' }),
  ).toMatchObject({ status: 422 });
  const back = await acme.post('/providers/crates/rollback', {});
  expect(back.body).toMatchObject({ version: first.version });
  await author.deploymentIs({ status: 'available', version: first.version });
});

/** Runs in a process of a pod; a build only reads the types. */
const throwsAfter = (ms: number) =>
  `if (process.env['POD_IP'] !== undefined) setTimeout(() => { throw new Error('Boom'); }, ${ms});`;

it('does not switch to a version that crashes just after it is ready', async () => {
  const broken = await author.built(code('four', throwsAfter(1_500)));
  await acme.post('/providers/crates/deploy', { version: broken.version });
  const message = 'The process ended with code 1: Error: Boom (index.ts:2)';
  await author.deploymentIs({ status: 'progressing', version: broken.version, message });
  await author.apply('a', 300);
  await author.becomes('a', { label: 'one', url: 'crate://a/300' });
  await author.deploymentIs({ status: 'failed', version: broken.version, message });
  await acme.post('/providers/crates/rollback', {});
  await author.deploymentIs({ status: 'available', version: first.version });
});

it('names the version to roll back to when a serving version fails', async () => {
  const broken = await author.built(code('five', throwsAfter(7_000)));
  await acme.post('/providers/crates/deploy', { version: broken.version });
  await author.deploymentIs({ status: 'available', version: broken.version });
  const words = new RegExp(
    String.raw`^Version ${broken.version} failed \d+ s after it took over: The process ended with code 1: Error: Boom \(index\.ts:2\); roll back with: fairlead rollback crates ${first.version}$`,
  );
  // The supervisor gives up at the fifth end.
  await eventually(async () => {
    const { body } = await acme.get('/providers/crates/deployment');
    expect(body).toMatchObject({ message: expect.stringMatching(words) });
  }, 150_000);
  const back = await acme.post('/providers/crates/rollback', {});
  expect(back.body).toMatchObject({ version: first.version });
  await author.deploymentIs({ status: 'available', version: first.version });
  await author.apply('a', 400);
  await author.becomes('a', { label: 'one', url: 'crate://a/400' });
}, 300_000);

it('records Events of builds and versions', async () => {
  const text = await fairlead.kubectl('get', 'events', '-n', namespace, '-o', 'json');
  const { items } = JSON.parse(text) as {
    items: { type: string; reason: string; involvedObject: { kind: string; name: string } }[];
  };
  const recorded = (kind: string, name: string) =>
    items
      .filter(({ involvedObject: about }) => about.kind === kind && about.name === name)
      .map(({ type, reason }) => `${type} ${reason}`);
  expect(recorded('Build', first.job_name).sort()).toEqual(['Normal Building', 'Normal Built']);
  expect(recorded('Provider', 'crates')).toEqual(
    expect.arrayContaining(['Normal Progressing', 'Normal Available', 'Warning DeploymentFailed']),
  );
});
