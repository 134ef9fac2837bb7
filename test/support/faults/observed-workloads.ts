// Defines lifecycles of one resource whose provider observes its object: corrections, take-overs, imports.
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { eventually } from '../runner/eventually.ts';
import { fails, type Script, works } from './history/provider.ts';
import {
  insist,
  largeConfig,
  largeOutputs,
  make,
  name,
  patienceMs,
  reaches,
  register,
  replaceOnce,
  type Subject,
  says,
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

let observations = 0;

function observesLarge(outputs: JsonObject): Script {
  return (event, earlier) => {
    if (event.event_type !== 'OBSERVE') return works(event, earlier);
    observations += 1;
    return { status: 200, body: { exists: true, config: largeConfig, outputs } };
  };
}

/** The object that was adopted is gone. */
const wasDeleted: Script = (event, earlier) =>
  event.event_type === 'OBSERVE' ? { status: 200, body: { exists: false } } : works(event, earlier);

const makesNone: Script = (event, earlier) =>
  (event.event_type === 'CREATE' ? fails(422) : wasDeleted)(event, earlier);

/** With an interval in which none of these tests comes to an observation by schedule. */
function registerObserved(subject: Subject): Promise<void> {
  const type = { provider: 'box', resource: 'crate', observe: true, observe_every: '7d' };
  return register(subject, type);
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

async function declare(
  subject: Subject,
  more: JsonObject,
  config: JsonObject = declared,
): Promise<void> {
  const response = await insist(() => subject.client().applyWith(name, config, more));
  expect(response.status, JSON.stringify(response.body)).toBe(200);
}

/** What fails: to repeat the apply would be to retry it. */
async function declareOnce(subject: Subject, more: JsonObject, config: JsonObject): Promise<void> {
  const response = await insist(async () => {
    const found = await subject.client().read(name);
    return found.status === 404 ? await subject.client().applyWith(name, config, more) : found;
  });
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
  'an observation that is too large to be stored': {
    provider: observesLarge({ id: 'one' }),
    async prepare(subject) {
      await registerObserved(subject);
      await declare(subject, { management: 'observed' }, largeConfig);
      await reaches(subject, 'ready');
    },
    async run(subject) {
      subject.provider.follow(observesLarge(largeOutputs));
      const before = observations;
      await request(subject, 'observe');
      await eventually(async () => {
        const { body } = await subject.client().read(name);
        const observation = { error: expect.stringContaining('too large to be stored') };
        expect(body).toMatchObject({ lifecycle_state: 'ready', observation });
      }, patienceMs);
      // One for each request, and one more after a crash.
      expect(observations - before).toBeLessThan(5);
    },
  },
};

export const importWorkloads: Readonly<Record<string, Workload>> = {
  'an import': {
    provider: onlyObserves,
    prepare: registerObserved,
    async run(subject) {
      await declare(subject, { adopt: { id: 'one' } });
      await drifts(subject, { kind: 'changed' });
    },
  },
  'an import that is too large to be stored': {
    provider: observesLarge(largeOutputs),
    prepare: registerObserved,
    async run(subject) {
      await declareOnce(subject, { adopt: { id: 'one' } }, largeConfig);
      await eventually(async () => {
        const { body } = await subject.client().read(name);
        expect(body).toMatchObject({ lifecycle_state: 'failed', reason: 'TooLarge' });
      }, patienceMs);
    },
  },
  'a replaced import whose creation fails': {
    provider: onlyObserves,
    async prepare(subject) {
      await registerObserved(subject);
      await declare(subject, { adopt: { id: 'one' } });
      await drifts(subject, { kind: 'changed' });
    },
    async run(subject) {
      subject.provider.follow(makesNone);
      await replaceOnce(subject, { size: 2 });
      await says(subject, 'failed', 'creation of the new object');
      subject.provider.follow(wasDeleted);
      await make(subject, { size: 3 });
    },
  },
};
