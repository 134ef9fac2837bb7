// Frees the memory of streamed code early. V8 ignores the memory of buffers when it schedules a collection of young
// objects, so all of a large upload could remain as garbage until then.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor' }) => void;

const everyBytes = 2 * 1_024 * 1_024;

let collect: Collect | undefined;
/** Over all streams, because they share one heap. */
let streamed = 0;

/** Counts processed bytes; an occasional collection takes about a millisecond. */
export function reclaim(bytes: number): void {
  streamed += bytes;
  if (streamed < everyBytes) return;
  streamed = 0;
  collect ??= findCollector();
  collect({ type: 'minor' });
}

/** Passes chunks through. A chunk counts as processed when the next one is requested. */
export async function* reclaiming(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    yield chunk;
    reclaim(chunk.length);
  }
}

/** Only new contexts get the flag; it is reset, so that no other code finds the function. */
function findCollector(): Collect {
  setFlagsFromString('--expose-gc');
  const found: Collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return found;
}
