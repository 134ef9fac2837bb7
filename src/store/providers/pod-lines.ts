// Reads the lines of the provider's container in one pod, with the position after each. One call is one stream, which may end
// early.
import type { PodLogQuery, StreamingClient } from '../../kube/client.ts';
import { KubeError } from '../../kube/errors.ts';
import { lineSplitter, timed } from '../../kube/log-lines.ts';
import { cursorAt, type Position, sinceOf } from './log-position.ts';

export interface PodLine {
  readonly pod: string;
  /** With its newline, without its time. */
  readonly bytes: Buffer;
  /** Undefined for output without times. */
  readonly position: Position | undefined;
}

export interface PodLinesOptions
  extends Pick<PodLogQuery, 'follow' | 'previous' | 'tailLines' | 'sinceTime'> {
  readonly client: Pick<StreamingClient, 'podLogs'>;
  readonly signal: AbortSignal;
  /** Lines up to it are skipped; replaces `sinceTime`. */
  readonly after: Position | undefined;
}

export const providerContainer = 'provider';

/** @throws KubeError `badRequest` for a container that has no log, `notFound` when the pod is gone */
export async function* podLines(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  { client, signal, after, follow = false, previous = false, ...rest }: PodLinesOptions,
): AsyncGenerator<PodLine, void, void> {
  const from = after === undefined ? rest : { sinceTime: sinceOf(after) };
  const query = { container: providerContainer, timestamps: true, follow, previous, ...from };
  const splitter = lineSplitter();
  const cursor = cursorAt(after);
  function* newLines(lines: readonly Buffer[]): Iterable<PodLine> {
    for (const line of lines) {
      const { time, text } = timed(line);
      if (!cursor.isNew(time)) continue;
      yield { pod: name, bytes: Buffer.from(text), position: cursor.position };
    }
  }
  try {
    for await (const chunk of await client.podLogs({ name, namespace }, query, signal)) {
      yield* newLines(splitter.push(chunk));
    }
  } catch (thrown) {
    if (thrown instanceof KubeError) throw thrown;
    throw new KubeError({ reason: 'unavailable', message: 'The log stream was interrupted' });
  }
  const last = splitter.end();
  // Half a line of a followed stream may be the end of a broken connection: the next stream delivers it whole.
  if (last !== undefined && !follow) yield* newLines([last]);
}
