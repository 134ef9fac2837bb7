// Passes one watch of a real API server through the fault proxy line by line, until a test disturbs it.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Faults of an open watch. Those about the next line wait for one. */
export type Disturbance =
  | 'end'
  | 'reset'
  /** Half-open: both connections stay, but no byte passes any more. */
  | 'silence'
  /** Half of the next line, and then a clean end. */
  | 'truncate next'
  /** The next line with an unreadable middle; then it continues. */
  | 'garble next'
  /** Drops the next line silently. */
  | 'swallow next'
  /** An ERROR event with this code; then it continues, as if it were a normal event. */
  | { readonly error: number }
  /** Delays lines until then, in order: the client sees old data meanwhile. */
  | { readonly holdUntil: Promise<unknown> };

export interface RelayedWatch {
  readonly plural: string;
  disturb(disturbance: Disturbance): void;
}

export interface Relay {
  readonly plural: string;
  readonly reply: IncomingMessage;
  readonly response: ServerResponse;
  /** Ends the connection to the client with RST. */
  reset(): void;
}

type NextLine = (line: string) => void;

export function relayWatch(relay: Relay): RelayedWatch {
  const { plural, reply, response } = relay;
  const pass: NextLine = (line) => {
    if (!response.writableEnded) response.write(`${line}\n`);
  };
  let next: NextLine = pass;
  let held = '';

  /** Applies it to the next line, and passes later ones. */
  function once(strange: NextLine): void {
    next = (line) => {
      next = pass;
      strange(line);
    };
  }

  response.writeHead(reply.statusCode ?? 500, { 'content-type': 'application/json' });
  response.flushHeaders();
  reply.setEncoding('utf8');
  reply.on('data', (chunk: string) => {
    const lines = (held + chunk).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) next(line);
  });
  reply.on('end', () => {
    // A half-open connection does not signal this either.
    if (next !== discard) response.end();
  });

  const does: Readonly<Record<Exclude<Disturbance, object>, () => void>> = {
    end: () => response.end(),
    reset: () => relay.reset(),
    silence() {
      next = discard;
    },
    'truncate next': () => once((line) => response.end(line.slice(0, Math.ceil(line.length / 2)))),
    'garble next': () => once((line) => pass(garbled(line))),
    'swallow next': () => once(discard),
  };

  function hold(until: Promise<unknown>): void {
    const waiting: string[] = [];
    next = (line) => void waiting.push(line);
    void until.then(() => {
      next = pass;
      for (const line of waiting) pass(line);
    });
  }

  return {
    plural,
    disturb(disturbance) {
      if (typeof disturbance !== 'object') does[disturbance]();
      else if ('error' in disturbance) pass(errorLine(disturbance.error));
      else hold(disturbance.holdUntil);
    },
  };
}

const discard: NextLine = () => undefined;

function garbled(line: string): string {
  const middle = Math.floor(line.length / 2);
  return `${line.slice(0, middle)}\u0000}{${line.slice(middle + 3)}`;
}

function errorLine(code: number): string {
  const object = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: 'injected' };
  return JSON.stringify({ type: 'ERROR', object });
}
