// Answers with the progress of work as server-sent events, and last with what the whole answer would be. Progress is counted and not
// queued: a client that reads slowly receives fewer events, and holds up nothing.
import type { ServerResponse } from 'node:http';
import type { WriteProgress } from '../../domain/apply-plans.ts';
import type { CommittedMember } from '../../store/resources/batch/commit.ts';
import {
  eventStreamType,
  quietComment,
  quietMs,
  streamHeaders,
  wantsEvents,
  watcherOf,
  withSignsOfLife,
} from './event-stream.ts';
import { type ReportedWork, type RouteAnswer, send, type WholeAnswer } from './send.ts';

/** The shortest time between two events. */
const progressMs = 200;

/** A paragraph of the documentation of an operation that is answered so. */
export const reportingText =
  'With `Accept: text/event-stream`, the answer begins with the first resource that is written: events `progress` with the numbers of `total`, `done` and `refused` resources, and last one event, `end` with this answer, or `error` with that of an error and its `status`. What is refused before has an ordinary answer. A comment is sent after every few seconds of silence. The writes go on without a reader.';

export type OnMember = (member: CommittedMember) => void;

interface WorkOfMembers {
  readonly accept: string;
  /** The number of members. */
  readonly total: number;
  /** @param onMember receives members whose writes have ended; one may come again with another outcome */
  readonly carryOut: (onMember: OnMember) => Promise<WholeAnswer>;
}

/** @throws what ends the work before a member is written */
export async function answerOfWork({
  accept,
  total,
  carryOut,
}: WorkOfMembers): Promise<RouteAnswer> {
  if (!wantsEvents(accept)) return await carryOut(() => undefined);
  const outcomes = new Map<CommittedMember['planned'], CommittedMember['outcome']>();
  let refused = 0;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const result = carryOut(({ planned, outcome }) => {
    if (outcome === 'refused' && outcomes.get(planned) !== outcome) refused += 1;
    outcomes.set(planned, outcome);
    if (outcome === 'applied') begin();
  });
  await Promise.race([begun, result]);
  return {
    status: 200,
    headers: streamHeaders,
    work: { progress: () => ({ total, done: outcomes.size, refused }), result },
  };
}

interface WorkEnding {
  /** @returns the status and the body of an error */
  readonly errorOf: (thrown: unknown) => { readonly status: number; readonly body: object };
  /** Counts the bytes of the last event. */
  readonly count: (bytes: number) => void;
}

/** @throws the error of the work: the outcome of the request is that of its work, whoever still reads */
export async function sendWork(
  res: ServerResponse,
  { progress, result }: ReportedWork,
  { errorOf, count }: WorkEnding,
): Promise<void> {
  const last = result.then(
    ({ content }) => eventPieces('end', content.bytes),
    (thrown: unknown) => {
      const { status, body } = errorOf(thrown);
      return eventPieces('error', Buffer.from(JSON.stringify({ status, ...body })));
    },
  );
  const counted = last.then((pieces) => {
    count(pieces.reduce((bytes, { length }) => bytes + length, 0));
    return pieces;
  });
  await send(res, {
    status: 200,
    headers: streamHeaders,
    content: {
      type: eventStreamType,
      heldBytes: 0,
      stream: (signal) =>
        withSignsOfLife(workEvents(progress, counted, signal), {
          quiet: () => Buffer.from(quietComment),
          quietMs,
        }),
    },
  });
  await result;
}

async function* workEvents(
  progress: () => WriteProgress,
  last: Promise<readonly Buffer[]>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const hasEndedWithin = watcherOf(last);
  let shown = JSON.stringify({ ...progress(), done: 0, refused: 0 });
  let hasEnded = false;
  while (!signal.aborted) {
    const text = JSON.stringify(progress());
    if (text !== shown) yield Buffer.concat(eventPieces('progress', Buffer.from(text)));
    shown = text;
    if (hasEnded) break;
    hasEnded = await hasEndedWithin(progressMs);
  }
  if (!signal.aborted) yield* await last;
}

/** Not concatenated: the last event may have megabytes. */
function eventPieces(name: string, data: Buffer): readonly Buffer[] {
  return [Buffer.from(`event: ${name}\ndata: `), data, Buffer.from('\n\n')];
}
