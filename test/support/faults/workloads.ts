// Defines complete lifecycles of one resource, with clients that repeat requests of unknown outcome. Every fault runs
// against each of them.
import { expect } from 'vitest';
import type { EventBody } from '../../../src/domain/event.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { eventually } from '../runner/eventually.ts';
import type { Asked } from './fault-proxy.ts';
import type { Delivery } from './history/model.ts';
import {
  fails,
  first,
  type Reply,
  type Script,
  type ScriptedProvider,
  works,
} from './history/provider.ts';
import type { RecordedClient, Told } from './history/recorder.ts';

export const name = 'box/crate/one';
/** The retry policy of these workloads. */
export const attempts = 2;

export interface Subject {
  readonly provider: Pick<ScriptedProvider, 'follow'>;
  client(): RecordedClient;
}

export interface Workload {
  /** The initial behaviour of the provider. */
  readonly provider?: Script;
  /** Runs before the first write that counts. */
  readonly prepare?: (subject: Subject) => Promise<void>;
  readonly run: (subject: Subject) => Promise<void>;
}

export const patienceMs = 40_000;

/** Repeats a call until its outcome is known. */
export async function insist(call: () => Promise<Told>): Promise<Told> {
  return await eventually(async () => {
    const response = await call();
    expect(response.outcome, JSON.stringify(response)).not.toBe('info');
    return response;
  }, patienceMs);
}

/** Thirty types are registered at a time: a request without an answer is sent again. */
export async function register(subject: Subject, type: object): Promise<void> {
  const response = await insist(() => subject.client().post('/resources/register', type));
  expect(response.status, JSON.stringify(response.body)).toBe(200);
}

/** @param state undefined: it is not there */
export async function reaches(
  subject: Subject,
  state: string | undefined,
  of = name,
): Promise<void> {
  await eventually(async () => {
    const response = await subject.client().read(of);
    expect(response.outcome).toBe('ok');
    const record = response.status === 200 ? response.body : undefined;
    expect((record as { lifecycle_state: string } | undefined)?.lifecycle_state).toBe(state);
  }, patienceMs);
}

export async function apply(
  subject: Subject,
  config: JsonObject,
  lifecycle?: 'draft' | 'pending',
): Promise<void> {
  const response = await insist(() => subject.client().apply(name, config, lifecycle));
  expect(response.status, JSON.stringify(response.body)).toBe(200);
}

export async function make(subject: Subject, config: JsonObject): Promise<void> {
  await apply(subject, config);
  await reaches(subject, 'ready');
}

/** An apply of failed content requests another attempt: after an unknown outcome it reads before it repeats. */
async function makeFail(subject: Subject, config: JsonObject): Promise<void> {
  const response = await insist(async () => {
    const found = await subject.client().read(name);
    return found.status === 404 ? await subject.client().apply(name, config) : found;
  });
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  await reaches(subject, 'failed');
}

async function replace(subject: Subject, config: JsonObject): Promise<void> {
  const response = await insist(() => subject.client().replace(name, config));
  expect(response.status, JSON.stringify(response.body)).toBe(200);
}

/** Of a replacement that fails: to repeat it would be to retry it. */
export async function replaceOnce(subject: Subject, config: JsonObject): Promise<void> {
  const response = await insist(async () => {
    const found = await subject.client().read(name);
    const shown = (found.body as { readonly config?: JsonObject } | undefined)?.config;
    const isWritten = JSON.stringify(shown) === JSON.stringify(config);
    return isWritten ? found : await subject.client().replace(name, config);
  });
  expect(response.status, JSON.stringify(response.body)).toBe(200);
}

export async function says(subject: Subject, state: string, message: string): Promise<void> {
  await eventually(async () => {
    const { body } = await subject.client().read(name);
    const text = expect.stringContaining(message);
    expect(body).toMatchObject({ lifecycle_state: state, message: text });
  }, patienceMs);
}

async function retryLetters(subject: Subject): Promise<void> {
  const { body } = await insist(() => subject.client().get('/ops/dead-letter'));
  for (const { event_id } of body as readonly { readonly event_id: string }[]) {
    // The second time it may have been retried already, which is a valid response.
    await insist(() => subject.client().retry(name, event_id));
  }
}

async function remove(subject: Subject): Promise<void> {
  await eventually(async () => {
    // 409 means "try again".
    expect((await subject.client().delete(name)).status).toBe(204);
  }, patienceMs);
  await reaches(subject, undefined);
}

/** A DELETE before the end of the operation, or without its context, fails. */
function untilCancelled(event: EventBody, earlier: readonly Delivery[]): Reply {
  const operation = { retry_after: 1, context: { job: 7 } };
  if (event.event_type === 'CREATE') return { status: 202, body: operation };
  const before = earlier.filter(({ eventType }) => eventType === 'CANCEL');
  if (event.event_type === 'CANCEL' && before.length === 0) return { status: 202, body: operation };
  const isCancelled = before.some(({ answered }) => answered?.status === 200);
  const isRight = event.event_type === 'CANCEL' || (isCancelled && event.context?.['job'] === 7);
  return isRight ? { status: 200, body: { outputs: {} } } : { status: 422, body: {} };
}

/** Six bytes each in etcd: not both can be stored together. */
export const largeConfig = { text: '<'.repeat(20_000) };
export const largeOutputs = { text: '<'.repeat(250_000) };

export const lives: Readonly<Record<string, Workload>> = {
  create: { run: (subject) => make(subject, { size: 1 }) },
  update: {
    prepare: (subject) => make(subject, { size: 1 }),
    run: (subject) => make(subject, { size: 2 }),
  },
  delete: {
    prepare: (subject) => make(subject, { size: 1 }),
    run: remove,
  },
  'a replacement': {
    prepare: (subject) => make(subject, { size: 1 }),
    async run(subject) {
      await replace(subject, { size: 2 });
      await reaches(subject, 'ready');
    },
  },
  'an event that the provider asks to send later': {
    provider: first(1, () => ({
      status: 429,
      headers: { 'retry-after': '1' },
      body: { error: { code: 'rate_limited', message: 'Slow down' }, retry_scope: 'provider' },
    })),
    run: (subject) => make(subject, { size: 1 }),
  },
  'a draft that is committed': {
    async run(subject) {
      await apply(subject, { size: 1 }, 'draft');
      await make(subject, { size: 2 });
    },
  },
  'a deletion that cancels an operation': {
    provider: untilCancelled,
    async prepare(subject) {
      const type = { provider: 'box', resource: 'crate', cancels_operations: true };
      await register(subject, type);
      await apply(subject, { size: 1 });
      await eventually(async () => {
        const { body } = await subject.client().read(name);
        expect(body).toMatchObject({ reason: 'InProgress' });
      }, patienceMs);
    },
    run: remove,
  },
};

export const failures: Readonly<Record<string, Workload>> = {
  'a dead letter after the last attempt': {
    provider: fails(500),
    run: (subject) => makeFail(subject, { size: 1 }),
  },
  'a dead letter of a terminal failure': {
    provider: fails(422),
    run: (subject) => makeFail(subject, { size: 1 }),
  },
  'an apply after a failure': {
    provider: first(1, fails(422)),
    prepare: (subject) => makeFail(subject, { size: 1 }),
    async run(subject) {
      subject.provider.follow(works);
      await make(subject, { size: 2 });
    },
  },
  'a dead letter that is retried': {
    provider: first(1, fails(422)),
    prepare: (subject) => makeFail(subject, { size: 1 }),
    async run(subject) {
      subject.provider.follow(works);
      await retryLetters(subject);
      await reaches(subject, 'ready');
    },
  },
  'a replacement whose two halves fail and are retried': {
    prepare: (subject) => make(subject, { size: 1 }),
    async run(subject) {
      subject.provider.follow(fails(422));
      await replaceOnce(subject, { size: 2 });
      await says(subject, 'failed', 'deletion of the old object');
      subject.provider.follow((event, earlier) =>
        (event.event_type === 'DELETE' ? works : fails(422))(event, earlier),
      );
      await retryLetters(subject);
      await says(subject, 'failed', 'creation of the new object');
      subject.provider.follow(works);
      await retryLetters(subject);
      await reaches(subject, 'ready');
    },
  },
  'a success that is too large to be stored': {
    provider: () => ({ status: 200, body: { outputs: largeOutputs } }),
    run: (subject) => makeFail(subject, largeConfig),
  },
};

/** From creation to deletion. */
export const wholeLife: Workload = {
  async run(subject) {
    await make(subject, { size: 1 });
    await make(subject, { size: 2 });
    await remove(subject);
  },
};

/** Selects writes that advance the work: of resources and dead letters. A Kubernetes Event, for example, is no step. */
export function isStepOf(namespace: string): (asked: Asked) => boolean {
  return ({ verb, plural, path }) =>
    verb === 'write' &&
    (plural === 'resources' || plural === 'configmaps') &&
    path.includes(`/namespaces/${namespace}/`);
}
