// The promises about the life of one resource: repeated events, events without a change, aborted events, events for deleted
// resources, and what is observed meanwhile.
import type { EventBody } from '../../domain/event.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ResourceType } from '../provider.ts';
import { type Life, newKey, newName, updateOf } from './life.ts';
import { expectDeclared, expectGone, expectNotGone, expectRead } from './observation.ts';
import type { Ending } from './step.ts';

/** @returns the outputs of the first create, unless it failed */
export async function checkLife(life: Life): Promise<JsonObject | undefined> {
  const outputs = await createTwice(life);
  if (outputs !== undefined) {
    const recorded = { config: life.config, outputs };
    await expectDeclared(life, 'observe after create', recorded);
    await expectNotGone(life, recorded);
  }
  const last = outputs === undefined ? undefined : await changes(life, outputs);
  await deleteTwice(life, last ?? outputs ?? {});
  await sendUnknownType(life);
  return outputs;
}

/**
 * @param again the answer to an event that was repeated
 * @returns what Fairlead has recorded then: other outputs than those of the first answer, when the type shows some only once
 */
export function recordedOutputs(
  { onceOnly }: Pick<ResourceType, 'onceOnly'>,
  again: Ending,
  first: JsonObject | undefined,
): JsonObject | undefined {
  return onceOnly !== undefined && again.kind === 'succeeded' ? again.outputs : first;
}

/** @returns the outputs, unless it could not be created */
async function createTwice({ send, found, type }: Life): Promise<JsonObject | undefined> {
  const event_id = newKey();
  const first = await send({ event_id });
  const outputs = found.outputs('create', first);
  const second = await send({ event_id, attempt: 2 });
  found.same('create, again with the same key', second, outputs, type.onceOnly);
  return recordedOutputs(type, second, outputs);
}

async function changes(life: Life, created: JsonObject): Promise<JsonObject> {
  const { send, found, changed } = life;
  const unchanged = updateOf(life, { outputs: created });
  found.same('update without a change', await send({ ...unchanged, generation: 2 }), created);
  await cancelDelivery(life, unchanged);
  found.same(
    'update after one that was cancelled',
    await send({ ...unchanged, generation: 3 }),
    created,
  );
  if (changed === undefined) return created;
  const event = { ...unchanged, event_id: newKey(), generation: 4, config: changed };
  const first = found.outputs('update to `changed`', await send(event));
  const again = await send({ ...event, attempt: 2 });
  found.same('update to `changed`, again with the same key', again, first, life.type.onceOnly);
  const outputs = recordedOutputs(life.type, again, first);
  if (outputs === undefined) return created;
  const now = await expectDeclared(life, 'observe after update', { config: changed, outputs });
  if (now !== undefined) await expectRead(life, now, { config: life.config, outputs });
  return outputs;
}

/** An aborted handler must end, and may succeed or fail in a way that Fairlead retries, but not permanently. */
async function cancelDelivery(
  { send, found, cancelMs }: Life,
  event: Partial<EventBody>,
): Promise<void> {
  const before = await send(event, {
    signal: AbortSignal.abort(closedConnection()),
    timeoutMs: cancelMs,
  });
  found.cancelled('update with an already aborted signal', before);
  const during = new AbortController();
  const ending = send(event, { signal: during.signal, timeoutMs: cancelMs });
  setImmediate(() => during.abort(closedConnection()));
  found.cancelled('update whose signal is aborted while it runs', await ending);
}

async function deleteTwice(life: Life, outputs: JsonObject): Promise<void> {
  const { send, found, config } = life;
  const event = { event_type: 'DELETE', event_id: newKey(), generation: 5, outputs } as const;
  found.outputs('delete', await send(event));
  found.outputs('delete, again with the same key', await send({ ...event, attempt: 2 }));
  await expectGone(life, 'observe after delete', { config, outputs });
  const never = { ...event, event_id: newKey(), name: newName(), outputs: {} };
  const unseen = { config, name: newName(), outputs: {} };
  await expectGone(life, 'observe of a resource that was never created', unseen);
  found.outputs('delete of a resource that was never created', await send(never));
}

async function sendUnknownType({ send, found, type }: Life): Promise<void> {
  found.refused(
    'an unknown type',
    await send({ resource: `${type.name}-unknown` }),
    'unknown_type',
  );
}

function closedConnection(): Error {
  return new Error('The client closed the connection');
}
