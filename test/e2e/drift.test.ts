// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
// Drift, imports and read-only resources through the public interface: the client and kubectl against a whole Fairlead, with a provider
// of the SDK whose objects change behind its back.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keyOf, objectNameOf } from '../../src/domain/identity.ts';
import { windowEndAfter } from '../../src/domain/observation/schedule.ts';
import { newHome, runClient } from '../support/clients/client.ts';
import { type Crates, startCrates } from '../support/fixtures/crates.ts';
import { type Shelf, serveShelf } from '../support/fixtures/observation/served-shelf.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

let crates: Crates;
let shelf: Shelf;
let variables: Readonly<Record<string, string>>;
const home = newHome();

beforeAll(async () => {
  crates = await startCrates(await sharedFairlead('impatient'), 'drift');
  shelf = await serveShelf(crates, 'shelf');
  variables = { FAIRLEAD_URL: crates.fairlead.url, FAIRLEAD_TOKEN: crates.acme.token };
});

afterAll(async () => {
  await shelf?.close();
  await crates?.close();
});

const client = (words: string, input = '') =>
  runClient(words.split(' '), { home, variables, input });

async function apply(...documents: readonly object[]): Promise<void> {
  const input = documents.map((each) => JSON.stringify(each)).join('\n---\n');
  const { code, stderr } = await client('apply -f - --wait --timeout 30s', input);
  expect(code, stderr).toBe(0);
}

const box = (name: string, config: object = { size: 1, owner: 'ada' }, more: object = {}) => ({
  ...{ resource: `shelf/box/${name}`, config, ...more },
});

async function recordOf(name: string, provider = 'shelf'): Promise<Record<string, unknown>> {
  const { body } = await crates.acme.get(`/resources/${provider}%2Fbox%2F${name}`);
  return body as Record<string, unknown>;
}

const shows = (name: string, wanted: object, provider?: string) =>
  eventually(async () => expect(await recordOf(name, provider)).toMatchObject(wanted), 30_000);

it('shows what somebody has changed, and corrects it', async () => {
  await apply(box('a', { size: 1, owner: 'ada', password: 'a-secret' }));
  expect(await client('observe shelf/box/a')).toEqual({
    code: 0,
    stdout: '✓ shelf/box/a  In sync: 2 values were compared.\n',
    stderr: '',
  });
  shelf.change('a', { size: 5 });
  const observed = await client('observe shelf/box/a');
  expect([observed.code, observed.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^○ shelf\/box\/a {2}Drifted: 1 of 2 compared values differs\n {2}\/size {2}declared 1 {2}actual 5\n$/,
    ),
  ]);
  expect((await client('observe shelf/box/a --exit-code')).code).toBe(3);
  const why = await client('why shelf/box/a');
  expect(why.stdout).toContain('1 of 2 compared values differs from the config: /size');
  expect(why.stdout).toContain('≠ drifted  shelf/box/a');
  expect(why.stdout).toContain('fairlead correct shelf/box/a');
  expect((await client('get --drift -o name')).stdout).toBe('shelf/box/a\n');
  expect(shelf.did).toEqual(['create a']);
  const corrected = await client('correct shelf/box/a --wait');
  expect(corrected).toMatchObject({ code: 0, stderr: expect.stringContaining('actual 5') });
  expect(shelf.boxes.get('a')).toMatchObject({ size: 1, owner: 'ada' });
  expect(await recordOf('a')).toMatchObject({ reason: 'Processed', drift: null });
  expect((await client('get --drift -o name')).stdout).toBe('');
});

it('declares what is there', async () => {
  shelf.change('a', { owner: '${shelf/box/a.outputs.url}' });
  await client('observe shelf/box/a');
  const diff = await client('diff shelf/box/a --from-actual');
  expect(diff.stdout).toContain('config.owner: "ada" → "$${shelf/box/a.outputs.url}"');
  expect(await client('apply shelf/box/a --from-actual --yes --wait')).toMatchObject({ code: 0 });
  expect(await recordOf('a')).toMatchObject({
    config: { size: 1, owner: '$${shelf/box/a.outputs.url}', password: 'a-secret' },
    ...{ reason: 'Processed', drift: null },
  });
  expect(shelf.boxes.get('a')?.owner).toBe('${shelf/box/a.outputs.url}');
  expect((await client('observe shelf/box/a')).stdout).toContain('In sync: 2 values');
});

it('says that an object is gone, also to kubectl, and creates it again', async () => {
  shelf.boxes.delete('a');
  const { namespace, fairlead } = crates;
  const name = objectNameOf(keyOf({ provider: 'shelf', resource: 'box', name: 'a' }));
  const of = ['flr', name, '-n', namespace];
  await fairlead.kubectl('annotate', ...of, 'fairlead.dev/observe=by-hand', '--overwrite');
  await fairlead.kubectl('wait', ...of, '--for=condition=Ready=False', '--timeout=20s');
  const [titles = '', row = ''] = (await fairlead.kubectl('get', ...of)).split('\n');
  expect(titles.split(/\s+/)).toEqual(
    expect.arrayContaining(['STATE', 'READY', 'REASON', 'DRIFT']),
  );
  expect(row.split(/\s+/)).toEqual(expect.arrayContaining(['ready', 'False', 'Gone']));
  expect((await client('get shelf/box/a')).stdout).toContain('◇ gone');
  const declared = await client('apply shelf/box/a --from-actual --yes');
  expect([declared.code, declared.stderr]).toEqual([
    6,
    expect.stringContaining('nothing to declare'),
  ]);
  expect(await client('correct shelf/box/a --wait')).toMatchObject({ code: 0 });
  expect(shelf.did.at(-1)).toBe('create a');
  await fairlead.kubectl('wait', ...of, '--for=condition=Ready', '--timeout=20s');
});

it('imports what exists, changes nothing of it, and never creates', async () => {
  shelf.boxes.set('old-1', { size: 7, owner: 'bob' });
  const before = shelf.did.length;
  const listed = await client('import --list shelf/box');
  expect(listed.stdout).toMatch(/id=old-1 +old-1/);
  expect(listed.stdout).not.toContain('id=a ');
  const preview = await client('import shelf/box/old --id old-1');
  expect(preview).toMatchObject({ code: 0, stdout: expect.stringContaining('  size: 7\n') });
  writeFileSync(join(home, 'old.yaml'), preview.stdout);
  const imported = await client('import -f old.yaml');
  expect([imported.code, imported.stdout]).toEqual([0, expect.stringMatching(/old +imported/)]);
  expect(await recordOf('old')).toMatchObject({
    ...{ adopt: { id: 'old-1' }, deletion_policy: 'orphan', drift: null },
    outputs: { id: 'old-1', url: 'box://old-1/bob' },
  });
  const missing = await client(
    'import -f -',
    JSON.stringify(box('no', { size: 1 }, { adopt: { id: 'no' } })),
  );
  expect([missing.code, missing.stdout]).toEqual([1, expect.stringMatching(/no +not found/)]);
  expect((await client('import shelf/box/no --id no')).code).not.toBe(0);
  expect(await client('delete shelf/box/old --yes --wait')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      'Only the record of shelf/box/old is removed; the object stays',
    ),
  });
  expect(shelf.did.slice(before)).toEqual([]);
  expect(shelf.boxes.get('old-1')).toEqual({ size: 7, owner: 'bob' });
  await client('delete shelf/box/no --yes --wait');
});

it('reads what others manage, and gives its outputs to references', async () => {
  shelf.boxes.set('net', { size: 3, owner: 'bob' });
  await apply(
    box('net', { size: 1 }, { adopt: { id: 'net' }, management: 'observed' }),
    box('user', { size: 1, owner: '${shelf/box/net.outputs.url}' }),
  );
  expect(await recordOf('net')).toMatchObject({ lifecycle_state: 'ready', reason: 'Found' });
  expect(shelf.boxes.get('user')?.owner).toBe('box://net/bob');
  shelf.change('net', { owner: 'eve' });
  await client('observe shelf/box/net');
  await eventually(() => expect(shelf.boxes.get('user')?.owner).toBe('box://net/eve'));
  shelf.boxes.delete('net');
  await client('observe shelf/box/net');
  await shows('net', { lifecycle_state: 'pending', reason: 'NotFound' });
  expect(shelf.did.filter((each) => each.endsWith(' net'))).toEqual([]);
});

it('says that a type is not observed', async () => {
  expect(
    await client('apply -f -', 'resource: box/crate/blind\nconfig: {size: 1}\n'),
  ).toMatchObject({ code: 0 });
  const { code, stderr } = await client('observe box/crate/blind');
  expect([code, stderr]).toEqual([6, expect.stringContaining('fairlead type get box/crate')]);
});

const everyMs = 60_000;

/** @returns a name whose window ends soon, so that nobody waits a minute for it: see correction.ts */
function soonCorrected(prefix: string, inMs: number): string {
  const end = (name: string) => {
    const provider = `${crates.namespace}/${name}`;
    return windowEndAfter({ provider, everyMs }, Date.now()) - Date.now();
  };
  const names = Array.from({ length: 500 }, (_, at) => `${prefix}-${at}`);
  const [best = ''] = names.sort((a, b) => Math.abs(end(a) - inMs) - Math.abs(end(b) - inMs));
  return best;
}

it('holds corrections when everything differs at once, until somebody releases them', async () => {
  const provider = soonCorrected('rack', 15_000);
  const rack = await serveShelf(crates, provider, '1m');
  try {
    const names = Array.from({ length: 12 }, (_, at) => `m${at}`);
    const observe = { on_drift: 'correct' };
    await apply(
      ...names.map((name) => ({
        ...{ resource: `${provider}/box/${name}`, config: { size: 1 }, observe },
      })),
    );
    for (const name of names) rack.change(name, { size: 9 });
    const refs = names.map((name) => `${provider}/box/${name}`);
    expect((await client(`observe ${refs.join(' ')} --exit-code`)).code).toBe(3);
    const held = await eventually(async () => {
      const { stdout } = await client(`provider get ${provider} -o json`);
      const [found] = [JSON.parse(stdout)].flat() as { corrections_held: { message: string } }[];
      expect(found?.corrections_held).not.toBeNull();
      return found?.corrections_held.message;
    }, 90_000);
    expect(held).toContain('12 of 12 observed resources');
    expect(rack.did.filter((each) => each.startsWith('update'))).toEqual([]);
    expect((await client(`why ${refs[0]}`)).stdout).toContain('release-corrections');
    expect(await client(`provider release-corrections ${provider} --yes`)).toMatchObject({
      code: 0,
    });
    for (const name of names)
      await shows(name, { drift: null, lifecycle_state: 'ready' }, provider);
    expect(Array.from(rack.boxes.values(), ({ size }) => size)).toEqual(names.map(() => 1));
  } finally {
    await rack.close();
  }
});
