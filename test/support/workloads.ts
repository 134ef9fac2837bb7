// Defines complete lifecycles of one resource, with clients that repeat requests of unknown outcome. Every fault runs
// against each of them.
import { expect } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { eventually } from './eventually.ts';
import type { Asked } from './fault-proxy.ts';
import { fails, first, type Script, type ScriptedProvider, works } from './history/provider.ts';
import type { RecordedClient, Told } from './history/recorder.ts';

export const name = 'box/crate/one';
/** The retry policy of these workloads. */
export const attempts = 2;

export interface Party {
  readonly provider: Pick<ScriptedProvider, 'follow'>;
  client(): RecordedClient;
}

export interface Workload {
  /** The initial behaviour of the provider. */
  readonly provider?: Script;
  /** Runs before the first write that counts. */
  readonly prepare?: (party: Party) => Promise<void>;
  readonly run: (party: Party) => Promise<void>;
}

const patienceMs = 40_000;

/** Repeats a call until its outcome is known. */
export async function insist(call: () => Promise<Told>): Promise<Told> {
  return await eventually(async () => {
    const told = await call();
    expect(told.outcome).not.toBe('info');
    return told;
  }, patienceMs);
}

/** @param state undefined: it is not there */
export async function reaches(party: Party, state: string | undefined, of = name): Promise<void> {
  await eventually(async () => {
    const told = await party.client().read(of);
    expect(told.outcome).toBe('ok');
    const record = told.status === 200 ? told.body : undefined;
    expect((record as { lifecycle_state: string } | undefined)?.lifecycle_state).toBe(state);
  }, patienceMs);
}

export async function apply(
  party: Party,
  config: JsonObject,
  lifecycle?: 'draft' | 'pending',
): Promise<void> {
  const told = await insist(() => party.client().apply(name, config, lifecycle));
  expect(told.status, JSON.stringify(told.body)).toBe(200);
}

async function make(party: Party, config: JsonObject): Promise<void> {
  await apply(party, config);
  await reaches(party, 'ready');
}

/** An apply of failed content requests another attempt: after an unknown outcome it reads before it repeats. */
async function makeFail(party: Party, config: JsonObject): Promise<void> {
  const told = await insist(async () => {
    const found = await party.client().read(name);
    return found.status === 404 ? await party.client().apply(name, config) : found;
  });
  expect(told.status, JSON.stringify(told.body)).toBe(200);
  await reaches(party, 'failed');
}

async function remove(party: Party): Promise<void> {
  await eventually(async () => {
    // 409 means "try again".
    expect((await party.client().delete(name)).status).toBe(204);
  }, patienceMs);
  await reaches(party, undefined);
}

export const workloads: Readonly<Record<string, Workload>> = {
  create: { run: (party) => make(party, { size: 1 }) },
  update: {
    prepare: (party) => make(party, { size: 1 }),
    run: (party) => make(party, { size: 2 }),
  },
  delete: {
    prepare: (party) => make(party, { size: 1 }),
    run: remove,
  },
  'a dead letter after the last attempt': {
    provider: fails(500),
    run: (party) => makeFail(party, { size: 1 }),
  },
  'a dead letter of a terminal failure': {
    provider: fails(422),
    run: (party) => makeFail(party, { size: 1 }),
  },
  'an apply after a failure': {
    provider: first(1, fails(422)),
    prepare: (party) => makeFail(party, { size: 1 }),
    async run(party) {
      party.provider.follow(works);
      await make(party, { size: 2 });
    },
  },
  'a dead letter that is retried': {
    provider: first(1, fails(422)),
    prepare: (party) => makeFail(party, { size: 1 }),
    async run(party) {
      party.provider.follow(works);
      const { body } = await insist(() => party.client().get('/ops/dead-letter'));
      const [deadLetter] = body as readonly { readonly event_id: string }[];
      // The second time it may have been retried already, which is a valid response.
      if (deadLetter !== undefined)
        await insist(() => party.client().retry(name, deadLetter.event_id));
      await reaches(party, 'ready');
    },
  },
  'a draft that is committed': {
    async run(party) {
      await apply(party, { size: 1 }, 'draft');
      await make(party, { size: 2 });
    },
  },
};

/** From creation to deletion. */
export const wholeLife: Workload = {
  async run(party) {
    await make(party, { size: 1 });
    await make(party, { size: 2 });
    await remove(party);
  },
};

/** Selects writes that advance the work: of resources and dead letters. A Kubernetes Event, for example, is no step. */
export function isStepOf(namespace: string): (asked: Asked) => boolean {
  return ({ verb, plural, path }) =>
    verb === 'write' &&
    (plural === 'resources' || plural === 'configmaps') &&
    path.includes(`/namespaces/${namespace}/`);
}
