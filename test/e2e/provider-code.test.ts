// Provider code from a folder to a resource that is ready: pushed, built, deployed, updated and removed, with real npm,
// Jobs and Deployments of the real controllers, and pods on the local node.
import { beforeAll, expect, it } from 'vitest';
import { type Author, authorOf, code, type Pushed } from '../support/fixtures/code/author.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Caller, Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

let fairlead: Fairlead;
let author: Author;
let acme: Caller;
let namespace: string;
let first: Pushed;
let second: Pushed;

beforeAll(async () => {
  fairlead = await sharedFairlead('standard');
  author = await authorOf(fairlead, 'provider-code');
  ({ caller: acme, namespace } = author);
});

it('builds pushed code, streams the log, and reports the end', async () => {
  first = await author.push(code('one'));
  const lines = await author.log(first.job_name);
  expect(lines).toContain('$ npm install');
  // The log ends after the status is known.
  const { body } = await acme.get(`/providers/crates/builds/${first.job_name}`);
  expect(body).toMatchObject({ status: 'success', version: first.version, error_message: null });
  // The live stream has empty lines where the build was quiet for long.
  const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
  expect(linesOf(await author.log(first.job_name))).toEqual(linesOf(lines));
});

it('deploys the newest version, registers its types, and sends it events', async () => {
  expect((await acme.post('/providers/crates/deploy', {})).status).toBe(200);
  await author.deploymentIs({ status: 'available', version: first.version, available_replicas: 1 });
  expect((await author.apply('a', 5)).status).toBe(200);
  await author.becomes('a', { label: 'one', url: 'crate://a/5' }, first.version);
  const path = ['-o', 'jsonpath={.status.certificateExpiresAt}'];
  const until = await fairlead.kubectl('get', 'providers', 'crates', '-n', namespace, ...path);
  expect(Date.parse(until), 'Its events are encrypted').toBeGreaterThan(Date.now());
  const invalid = await author.apply('b', 0);
  expect(invalid.status).toBe(422);
});

it('returns what handlers print, of one resource, from the pods on the node', async () => {
  await eventually(async () => {
    const { body } = await acme.get('/providers/crates/logs?resource=crates:crate:a&since=10m');
    expect(body).toMatch(/^provider-crates-\S+ \{.*"message":"making a"/);
  });
  const other = await acme.get('/providers/crates/logs?resource=crates:crate:other');
  expect(other).toMatchObject({ status: 200, body: undefined });
  expect((await acme.get('/providers/none/logs')).body).toMatchObject({
    detail: 'Provider none was never deployed',
    code: 'not_deployed',
  });
  const rival = await fairlead.caller('provider-code-rival');
  expect((await rival.get('/providers/crates/logs')).body).toMatchObject({
    detail: 'Provider crates was never deployed',
    code: 'not_deployed',
  });
});

it('does not build the same bytes again', async () => {
  const again = await author.push(code('one'));
  await eventually(async () => {
    const { body } = await acme.get(`/providers/crates/builds/${again.job_name}`);
    expect(body).toMatchObject({ status: 'success' });
  });
  const jobs = await fairlead.kubectl('get', 'jobs', '-n', namespace, '-o', 'name');
  expect(jobs).not.toContain(again.job_name);
});

it('rolls to another version without losing an event', async () => {
  second = await author.built(code('two'));
  expect((await acme.post('/providers/crates/deploy', {})).status).toBe(200);
  let size = 10;
  const names = ['a', 'r1', 'r2', 'r3'];
  await eventually(async () => {
    size += 1;
    for (const name of names) expect([200, 409]).toContain((await author.apply(name, size)).status);
    const { body } = await acme.get('/providers/crates/deployment');
    expect(body).toMatchObject({ status: 'available', version: second.version });
  }, 60_000);
  for (const name of names) {
    await eventually(async () => expect((await author.apply(name, 100)).status).toBe(200));
    await author.becomes(name, { label: 'two', url: `crate://${name}/100` });
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

const mistakes = {
  'a dependency that is not there': {
    source: "import 'no-such-package-of-anybody';\nexport default 1;",
    error: /no-such-package-of-anybody/,
  },
  'no default export': { source: 'export const nothing = 1;', error: /default export/ },
  'code that names another provider': {
    source: code('x').replace("provider('crates')", "provider('boxes')"),
    error: /boxes/,
  },
};

it.concurrent.each(Object.entries(mistakes))(
  'fails a build with its reason: %s',
  async (_what, { source, error }) => {
    const { job_name } = await author.push(source);
    await author.log(job_name);
    const { body } = await acme.get(`/providers/crates/builds/${job_name}`);
    expect(body).toMatchObject({ status: 'failed', error_message: expect.stringMatching(error) });
    await eventually(async () => {
      const about = `involvedObject.kind=Build,involvedObject.name=${job_name}`;
      const words = ['get', 'events', '-n', namespace, '--field-selector', about, '--no-headers'];
      expect(await fairlead.kubectl(...words)).toMatch(/Warning +BuildFailed/);
    });
  },
);

it('removes a provider only together with its resources, which the provider deletes', async () => {
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
