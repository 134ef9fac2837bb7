// Runs a provider on a real socket that answers by a script and records every delivery and its response.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventBody } from '../../../../src/domain/event.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import type { Delivery } from './model.ts';

export type Reply =
  | {
      readonly status: number;
      readonly body: JsonObject;
      readonly headers?: Readonly<Record<string, string>>;
      readonly afterMs?: number;
    }
  /** The work is done, but the connection breaks before the response. */
  | 'die'
  | 'hang';

export type Script = (event: EventBody, earlier: readonly Delivery[]) => Reply;

export interface ScriptedProvider {
  readonly url: string;
  /** Without observations by schedule or request. */
  readonly deliveries: readonly Delivery[];
  /** Deliveries of one resource. */
  of(name: string): readonly Delivery[];
  /** Replaces the script from now on. */
  follow(script: Script): void;
  close(): Promise<void>;
}

/** Outputs that identify their content and event, but not the attempt. */
export function outputsFor({ event_type, generation, config }: EventBody): JsonObject {
  return { made_by: event_type, generation, config };
}

export const works: Script = (event) => ({ status: 200, body: { outputs: outputsFor(event) } });

export function fails(status: number, code = 'BROKEN'): Script {
  return () => ({ status, body: { error: { code, message: 'on purpose' } } });
}

/** Applies the script to the first deliveries of each event, and succeeds afterwards. */
export function first(count: number, script: Script): Script {
  return (event, earlier) =>
    earlier.filter(({ eventId }) => eventId === event.event_id).length < count
      ? script(event, earlier)
      : works(event, earlier);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export async function scriptedProvider(begin: Script = works): Promise<ScriptedProvider> {
  const deliveries: Delivery[] = [];
  let script = begin;
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const event = JSON.parse(await text(request)) as EventBody;
    const reply = script(event, deliveries);
    const delivery = deliveryOf(event);
    if (!isObservation(event)) deliveries.push(delivery);
    if (reply === 'hang') return;
    if (reply === 'die') return void response.destroy();
    const { status, body, headers, afterMs = 0 } = reply;
    if (afterMs > 0) await pause(afterMs);
    // Before it is sent: any response that a client records must be in the history.
    const outputs = body['outputs'] as JsonObject | undefined;
    delivery.answered = { status, ...(outputs !== undefined && { outputs }) };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  }

  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    deliveries,
    of: (name) => deliveries.filter((delivery) => delivery.name === name),
    follow: (next) => {
      script = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** It has no claim, and may be lost or doubled. That of an import is an event like any other. */
function isObservation({ event_type, event_id }: EventBody): boolean {
  return event_type === 'OBSERVE' && event_id.startsWith('obs-');
}

function deliveryOf(event: EventBody): Writable<Delivery> {
  return {
    at: performance.now(),
    eventId: event.event_id,
    eventType: event.event_type,
    cancels: event.cancels,
    name: `${event.provider}/${event.resource}/${event.name}`,
    generation: event.generation,
    attempt: event.attempt,
    sequence: event.sequence,
  };
}
