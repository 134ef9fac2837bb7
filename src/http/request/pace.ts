// Enforces a minimum chunk size and transfer rate for request bodies. Every chunk costs some microseconds of CPU whatever
// its size, and every slow body holds a connection.
import { FairleadError } from '../../domain/errors.ts';

export interface BodyPace {
  /** Chunks that any body may have, however short it is. */
  readonly pieces: number;
  /** The minimum average size of the chunks beyond them. */
  readonly bytesOfPiece: number;
  /** The time span in milliseconds in which */
  readonly spanMs: number;
  /** this many bytes must arrive. */
  readonly bytesInSpan: number;
}

export const defaultPace: BodyPace = {
  pieces: 1_024,
  bytesOfPiece: 512,
  spanMs: 10_000,
  bytesInSpan: 1_024,
};

interface PaceKeeper {
  /** @throws FairleadError `too_large` when the chunks are too many for the number of bytes */
  came(bytes: number): void;
  /** While reading is paused, the client cannot send. */
  rest(): void;
  resume(): void;
  stop(): void;
}

/** @param onSlow called once, when too few bytes arrive */
export function keepPace(pace: BodyPace, onSlow: () => void): PaceKeeper {
  let pieces = 0;
  let received = 0;
  let atBegin = 0;
  let timer: NodeJS.Timeout | undefined;

  function begin(): void {
    atBegin = received;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (received - atBegin < pace.bytesInSpan) onSlow();
      else begin();
    }, pace.spanMs);
  }

  begin();
  return {
    came(bytes) {
      pieces += 1;
      received += bytes;
      if (pieces > pace.pieces + received / pace.bytesOfPiece) throw inCrumbs();
    },
    rest: () => clearTimeout(timer),
    resume: begin,
    stop: () => clearTimeout(timer),
  };
}

function inCrumbs(): FairleadError {
  return new FairleadError(
    'too_large',
    'The body is sent in too many small chunks; send chunks of 1 KiB or more',
  );
}
