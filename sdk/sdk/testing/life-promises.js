// The promises about the life of one resource: repeated events, events without a change, aborted events and events for deleted
// resources.
import { randomUUID } from 'node:crypto';
import { newKey, updateOf } from './life.js';
/** @returns the outputs of the first create, unless it failed */
export async function checkLife(life) {
    const outputs = await createTwice(life);
    const last = outputs === undefined ? undefined : await changes(life, outputs);
    await deleteTwice(life, last ?? outputs ?? {});
    await unknown(life);
    return outputs;
}
/** @returns the outputs, unless it could not be created */
async function createTwice({ send, found }) {
    const event_id = newKey();
    const first = await send({ event_id });
    const outputs = found.outputs('create', first);
    const second = await send({ event_id, attempt: 2 });
    found.same('create, again with the same key', second, outputs);
    return outputs;
}
async function changes(life, created) {
    const { send, found, changed } = life;
    const unchanged = updateOf(life, { outputs: created });
    found.same('update without a change', await send({ ...unchanged, generation: 2 }), created);
    await cancel(life, unchanged);
    found.same('update after one that was cancelled', await send({ ...unchanged, generation: 3 }), created);
    if (changed === undefined)
        return created;
    const event = { ...unchanged, event_id: newKey(), generation: 4, config: changed };
    const outputs = found.outputs('update to `changed`', await send(event));
    const again = await send({ ...event, attempt: 2 });
    found.same('update to `changed`, again with the same key', again, outputs);
    return outputs ?? created;
}
/** An aborted handler must end, and may succeed or fail in a way that Fairlead retries, but not permanently. */
async function cancel({ send, found, cancelMs }, event) {
    const before = await send(event, { signal: AbortSignal.abort(cut()), timeoutMs: cancelMs });
    found.cancelled('update with an already aborted signal', before);
    const during = new AbortController();
    const ending = send(event, { signal: during.signal, timeoutMs: cancelMs });
    setImmediate(() => during.abort(cut()));
    found.cancelled('update whose signal is aborted while it runs', await ending);
}
async function deleteTwice({ send, found }, outputs) {
    const event = { event_type: 'DELETE', event_id: newKey(), generation: 5, outputs };
    found.outputs('delete', await send(event));
    found.outputs('delete, again with the same key', await send({ ...event, attempt: 2 }));
    const never = {
        ...event,
        event_id: newKey(),
        name: `test-${randomUUID().slice(0, 8)}`,
        outputs: {},
    };
    found.outputs('delete of a resource that was never created', await send(never));
}
async function unknown({ send, found, type }) {
    found.refused('an unknown type', await send({ resource: `${type.name}-unknown` }), 'unknown_type');
}
function cut() {
    return new Error('The client closed the connection');
}
