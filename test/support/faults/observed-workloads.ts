// Defines lifecycles of one resource whose provider observes its object: a correction, an import, a take-over.
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { eventually } from '../runner/eventually.ts';
import { fails, type Script, works } from './history/provider.ts';
import {
  insist,
  make,
  name,
  patienceMs,
  reaches,
  type Subject,
  type Workload,
} from './workloads.ts';

const declared = { size: 1 };
const changedByHand = { size: 9 };

/** Somebody changes each object after its creation. */
const observes: Script = (event, earlier) => {
  if (event.event_type !== 'OBSERVE') return works(event, earlier);
  const isCorrected = earlier.some(({ eventType }) => eventType === 'UPDATE');
  const config = isCorrected ? declared : changedByHand;
  return { status: 200, body: { exists: true, config, outputs: { id: 'one' } } };
};

/** Other types of events would change what is only imported. */
const onlyObserves: Script = (event, earlier) =>
  (event.event_type === 'OBSERVE' ? observes : fails(422))(event, earlier);

const refusesToCreate: Script = (event, earlier) =>
  event.event_type === 'OBSERVE'
    ? { status: 200, body: { exists: false } }
    : fails(422)(event, earlier);

/** With an interval in which none of these tests comes to an observation by schedule. */
async function registerObserved(subject: Subject): Promise<void> {
  const type = { provider: 'box', resource: 'crate', observe: true, observe_every: '7d' };
  const { status, body } = await subject.client().post('/resources/register', type);
  expect(status, JSON.stringify(body)).toBe(200);
}

async function request(subject: Subject, what: 'observe' | 'correct'): Promise<void> {
  const path = `/resources/${encodeURIComponent(name)}/${what}`;
  const response = await insist(() => subject.client().post(path, {}));
  expect(response.status, JSON.stringify(response.body)).toBe(200);
}

async function drifts(subject: Subject, drift: object | null): Promise<void> {
  await eventually(async () => {
    const { body } = await subject.client().read(name);
    expect(body).toMatchObject({ lifecycle_state: 'ready', drift });
  }, patienceMs);
}

async function declare(subject: Subject, more: JsonObject): Promise<void> {
  const response = await insist(() => subject.client().applyWith(name, declared, more));
  expect(response.status, JSON.stringify(response.body)).toBe(200);
}

/** To repeat the apply after a failure would be to retry the event. */
async function takeOver(subject: Subject): Promise<void> {
  const response = await insist(async () => {
    const found = await subject.client().read(name);
    const { management } = (found.body ?? {}) as { readonly management?: string };
    if (management === 'managed') return found;
    return await subject.client().applyWith(name, declared, { management: 'managed' });
  });
  expect(response.status, JSON.stringify(response.body)).toBe(200);
}

export const observedWorkloads: Readonly<Record<string, Workload>> = {
  'a correction': {
    provider: observes,
    async prepare(subject) {
      await registerObserved(subject);
      await make(subject, declared);
    },
    async run(subject) {
      await request(subject, 'observe');
      await drifts(subject, { kind: 'changed' });
      await request(subject, 'correct');
      await drifts(subject, null);
    },
  },
  'an import': {
    provider: onlyObserves,
    prepare: registerObserved,
    async run(subject) {
      await declare(subject, { adopt: { id: 'one' } });
      await drifts(subject, { kind: 'changed' });
    },
  },
  'a take-over that the provider refuses': {
    provider: refusesToCreate,
    async prepare(subject) {
      await registerObserved(subject);
      await declare(subject, { management: 'observed' });
      await eventually(async () => {
        const { body } = await subject.client().read(name);
        expect(body).toMatchObject({ lifecycle_state: 'pending', reason: 'NotFound' });
      }, patienceMs);
    },
    async run(subject) {
      await takeOver(subject);
      await reaches(subject, 'failed');
    },
  },
};
