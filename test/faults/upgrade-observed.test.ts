// Drift, imports and read-only resources across an upgrade from the release before, and back: what docs/operations.md says about them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Script, works } from '../support/faults/history/provider.ts';
import { anInstallation, type Installation } from '../support/releases/installation.ts';
import { before, hasReleaseBefore } from '../support/releases/release-before.ts';
import { eventually } from '../support/runner/eventually.ts';

const isHere = await hasReleaseBefore();
if (!isHere) {
  process.stderr.write(
    `Skipped: the upgrade from ${before.release}. It is not in the history here.\n`,
  );
}

/** Each object is what its config declares; that of a name with `absent` does not exist. */
const script: Script = (event, earlier) => {
  if (event.event_type !== 'OBSERVE') return works(event, earlier);
  const { config, name } = event;
  const found = { exists: true, config, outputs: { url: `box://${name}` } };
  return { status: 200, body: name.startsWith('absent') ? { exists: false } : found };
};

let installation: Installation;

beforeAll(async () => {
  if (isHere) installation = await anInstallation(script);
}, 120_000);
afterAll(() => installation?.[Symbol.asyncDispose]());

async function observed(name: string): Promise<unknown> {
  const path = `/resources/resource:box_crate_${name}/observe`;
  const { status, body } = await installation.ask('POST', path, {}, { prefer: 'wait=20' });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function says(name: string, record: object): Promise<void> {
  await eventually(async () => {
    expect((await installation.records()).get(name)).toMatchObject(record);
  });
}

/** The types of the events of each resource, without repetitions. */
function received(): Readonly<Record<string, readonly string[]>> {
  const names = Map.groupBy(installation.provider.deliveries, ({ name }) => name.split('/')[2]);
  const types = [...names].map(([name, all]) => {
    const events = new Map(all.map(({ eventId, eventType }) => [eventId, eventType]));
    return [name, [...events.values()]];
  });
  return Object.fromEntries(types);
}

it.skipIf(!isHere)(
  'observes what the release before made, and keeps what is imported',
  async () => {
    const { ask, apply, become } = installation;
    await installation.begin('past');
    await installation.found();
    await apply('made', { size: 1 });
    await become({ made: 'ready' });

    await installation.replaceBy('present');
    await become({ made: 'ready' });
    const type = { provider: 'box', resource: 'crate', observe: true, observe_every: '7d' };
    expect((await ask('POST', '/resources/register', type)).status).toBe(200);
    const inSync = { exists: true, compared: 1, unknown: 0, error: null };
    expect(await observed('made')).toMatchObject({ drift: null, observation: inSync });

    const importing = (id: string) => ({ options: { adopt: { id } } });
    await apply('imported', { size: 2 }, importing('i-1'));
    await apply('imported-paused', { size: 2 }, importing('i-2'));
    const readOnly = { options: { management: 'observed' } };
    await apply('seen', { size: 3 }, readOnly);
    await apply('absent', { size: 3 }, readOnly);
    await apply('absent-paused', { size: 3 }, readOnly);
    await apply('absent-import', { size: 2 }, importing('i-3'));
    await become({ imported: 'ready', 'imported-paused': 'ready', seen: 'ready' });
    await become({ 'absent-import': 'failed' });
    for (const name of ['absent', 'absent-paused']) await says(name, { reason: 'NotFound' });
    await apply('imported-paused', { size: 2 }, { options: { paused: true } });
    await apply('absent-paused', { size: 3 }, { options: { paused: true } });
    const ofPresent = {
      made: ['CREATE'],
      imported: ['OBSERVE'],
      'imported-paused': ['OBSERVE'],
      'absent-import': ['OBSERVE'],
    };
    expect(received()).toEqual(ofPresent);

    await installation.replaceBy('past');
    // It knows neither adopt nor management: an import looks changed, and what was not found looks new. It knows pauses.
    const ofPast = {
      ...ofPresent,
      imported: ['OBSERVE', 'UPDATE'],
      absent: ['CREATE'],
      'absent-import': ['OBSERVE', 'CREATE'],
    };
    await eventually(() => expect(received()).toEqual(ofPast), 60_000);
    await become({ made: 'ready', imported: 'ready', seen: 'ready', absent: 'ready' });
    for (const name of ['imported-paused', 'absent-paused']) await says(name, { reason: 'Paused' });
    expect((await ask('GET', '/ops/dead-letter')).status).toBe(200);

    await installation.replaceBy('present');
    await become({ made: 'ready', imported: 'ready', seen: 'ready', absent: 'ready' });
    expect((await ask('POST', '/resources/register', type)).status).toBe(200);
    expect(await observed('made')).toMatchObject({ drift: null, observation: inSync });
    expect(received()).toEqual(ofPast);
    // The policy of an import is stored.
    for (const name of ['imported', 'imported-paused']) {
      await says(name, { deletion_policy: 'orphan' });
      expect((await ask('DELETE', `/resources/resource:box_crate_${name}`)).status).toBe(204);
      await eventually(async () => expect((await installation.records()).has(name)).toBe(false));
    }
    expect(received()).toEqual(ofPast);
    // What 0.1.0 has written is not read-only any more: it is declared so before it goes on.
    await says('absent-paused', { management: 'managed', reason: 'Paused' });
    await apply(
      'absent-paused',
      { size: 3 },
      { options: { management: 'observed', paused: false } },
    );
    await says('absent-paused', { management: 'observed', reason: 'NotFound' });
    await says('seen', { management: 'observed', reason: 'Found' });
    expect(received()).toEqual(ofPast);
  },
);
