import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { keyOf, objectNameOf } from '../../../../src/domain/identity.ts';
import {
  type DeadLetter,
  type DeadLetterObject,
  fromConfigMap,
  isSuperseded,
  toConfigMap,
} from '../../../../src/store/dead-letters/object.ts';
import { annotation, label } from '../../../../src/store/kinds.ts';
import { aClaim, aResource, contentOfResource, now } from '../../../support/fixtures/builders.ts';

const eventId = 'evt-0123456789abcdef0123456789abcdef';

function aDeadLetter(changes: Partial<DeadLetter> = {}): DeadLetter {
  return {
    eventId,
    eventType: 'CREATE',
    organizationId: 'acme',
    projectId: 'default-0123456789ab',
    provider: 'postgres',
    resourceType: 'database',
    resourceName: 'orders',
    errorCode: 'REFUSED',
    errorMessage: 'REFUSED: no route to 10.0.0.1',
    attemptCount: 5,
    failedAt: now,
    payload: { config: { name: 'orders' } },
    resource: { name: 'postgres-database-orders-1', namespace: 'fl-acme-0', uid: 'uid-1' },
    generation: 2,
    ...changes,
  };
}

function stored(deadLetter: DeadLetter = aDeadLetter()): DeadLetterObject {
  const object = toConfigMap(deadLetter);
  return { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '3' } };
}

describe('a letter', () => {
  it('is read as written, with a cause', () => {
    const read = fromConfigMap(stored());
    expect(read).toMatchObject({ ...aDeadLetter(), uid: 'u', resourceVersion: '3', marked: false });
    expect(read?.cause).toMatch(/^[0-9a-f]{12}$/);
    expect(stored().metadata.labels?.[label.cause]).toBe(read?.cause);
  });

  it.each(['orders', 'orders.eu_1', 'o'.repeat(100), 'ORDERS'])(
    'is read whatever the object of its resource %s is called',
    (name) => {
      const key = keyOf({ provider: 'postgres', resource: 'database', name });
      const resource = { ...aDeadLetter().resource, name: objectNameOf(key) };
      const read = fromConfigMap(stored(aDeadLetter({ resourceName: name, resource })));
      expect(read?.resource).toEqual(resource);
    },
  );

  it('says whether an object exists, when that is known', () => {
    for (const exists of [true, false, undefined]) {
      expect(fromConfigMap(stored(aDeadLetter({ exists })))?.exists).toBe(exists);
    }
    const { metadata, ...object } = stored();
    const annotations = { [annotation.exists]: 'maybe' };
    expect(fromConfigMap({ ...object, metadata: { ...metadata, annotations } })?.exists).toBe(
      undefined,
    );
  });

  it('has the log that was written, and none that anybody could have made', () => {
    const log = ['begins', 'ends'];
    expect(fromConfigMap(stored(aDeadLetter({ log })))?.log).toEqual(log);
    for (const [text, want] of [
      ['{', []],
      ['{"0":"a"}', []],
      ['["a\\u001b[31m\\nb",7]', ['a b']],
      [JSON.stringify(Array(20).fill('x'.repeat(2_000))), Array(8).fill('x'.repeat(2_000))],
    ] as const) {
      const object = stored();
      const forged = { ...object, data: { ...object.data, log_excerpt: text } };
      expect(fromConfigMap(forged)?.log).toEqual(want);
    }
  });

  it('has the cause of its text, whatever its label is', () => {
    const object = stored();
    const labels = { ...object.metadata.labels, [label.cause]: 'ffffffffffff' };
    const changed = { ...object, metadata: { ...object.metadata, labels } };
    expect(fromConfigMap(changed)?.cause).toBe(fromConfigMap(object)?.cause);
    expect(fromConfigMap(object)?.hasCauseLabel).toBe(true);
    expect(fromConfigMap(changed)?.hasCauseLabel).toBe(false);
  });

  it('has the same cause as one of another resource with the same error', () => {
    const other = aDeadLetter({
      resourceName: 'carts',
      errorMessage: 'REFUSED: no route to 10.0.0.2',
    });
    expect(fromConfigMap(stored(other))?.cause).toBe(fromConfigMap(stored())?.cause);
  });

  it('has a mark when it is superseded', () => {
    const object = stored();
    const labels = { ...object.metadata.labels, [label.superseded]: 'true' };
    const marked = { ...object, metadata: { ...object.metadata, labels } };
    expect(fromConfigMap(marked)?.marked).toBe(true);
  });

  const changed = (data: Record<string, string>): DeadLetterObject => {
    const object = stored();
    return { ...object, data: { ...object.data, ...data } };
  };
  const without = (name: string): DeadLetterObject => {
    const { [name]: _gone, ...data } = stored().data ?? {};
    return { ...stored(), data };
  };
  const named = (metadata: Partial<DeadLetterObject['metadata']>): DeadLetterObject => ({
    ...stored(),
    metadata: { ...stored().metadata, ...metadata },
  });

  it.each<[string, DeadLetterObject]>([
    ['has no data', { metadata: stored().metadata }],
    ['has no label', named({ labels: {} })],
    ['has another name', named({ name: 'evt-1' })],
    ['names no event', without('event_id')],
    ['names an event of another form', changed({ event_id: 'evt-1' })],
    ['has no type', without('event_type')],
    ['has an unknown type', changed({ event_type: 'EXPLODE' })],
    ['has no time', without('failed_at')],
    ['has a wrong time', changed({ failed_at: 'yesterday' })],
    ['counts no attempts', without('attempt_count')],
    ['counts attempts in words', changed({ attempt_count: 'five' })],
    ['counts below zero', changed({ attempt_count: '-1' })],
    ['has no generation', without('generation')],
    ['has an illegal provider', changed({ provider: '../x' })],
    ['has an illegal type name', changed({ resource_type: 'A' })],
    ['has an illegal resource name', changed({ resource_name: '' })],
    ['has a resource that no object can be called', changed({ resource_object: '../secrets/x' })],
    ['has no uid', changed({ resource_uid: '' })],
    ['has a payload that is not JSON', changed({ payload: '{' })],
    ['has a payload that is a list', changed({ payload: '[]' })],
    ['has a payload that is null', changed({ payload: 'null' })],
    ['has an endless error', changed({ error_message: 'x'.repeat(5_000) })],
  ])('that %s is invalid', (_name, object) => {
    expect(fromConfigMap(object)).toBeUndefined();
  });
});

describe('a letter is superseded', () => {
  const failed = (changes: Parameters<typeof aResource>[0] = {}): Resource => {
    const resource = aResource(changes);
    const content = contentOfResource(resource);
    const event = aClaim({ id: eventId, content, ...changes.status?.event });
    const status = { state: 'failed', reason: 'ProviderFailed', content } as const;
    return aResource({ ...changes, status: { ...status, ...changes.status, event } });
  };
  const mark = (count: number) => ({
    annotations: { [annotation.requeue]: `${eventId}/${count}` },
  });
  const deletionTimestamp = now.toISOString();
  const deleteFailed = { state: 'deleting', reason: 'DeleteFailed' } as const;

  it.each<[boolean, string, Resource | undefined]>([
    [true, 'when its resource is gone', undefined],
    [true, 'when nothing was claimed yet', aResource()],
    [true, 'when another event came since', failed({ status: { event: aClaim({ id: 'evt-2' }) } })],
    [true, 'when its event runs again', failed({ status: { state: 'processing' } })],
    [true, 'when its event went well', failed({ status: { state: 'ready', reason: 'Ready' } })],
    [true, 'when the resource was applied again', failed({ status: { content: 'other' } })],
    [true, 'when a retry is asked for', failed({ metadata: mark(1) })],
    [true, 'when the resource is being deleted', failed({ metadata: { deletionTimestamp } })],
    [false, 'never while its event is what failed', failed()],
    [false, 'never by a restore from a backup', failed({ metadata: { uid: 'uid-2' } })],
    [
      false,
      'never by a mark that was followed',
      failed({ metadata: mark(1), status: { event: aClaim({ id: eventId, requeued: 1 }) } }),
    ],
    [
      false,
      'never while it is the deletion that failed',
      failed({
        metadata: { deletionTimestamp },
        status: {
          ...deleteFailed,
          content: 'other',
          event: aClaim({ id: eventId, type: 'DELETE' }),
        },
      }),
    ],
  ])('%s: %s', (expected, _name, resource) => {
    expect(isSuperseded(aDeadLetter(), resource)).toBe(expected);
  });
});
