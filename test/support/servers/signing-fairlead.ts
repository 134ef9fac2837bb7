// Provides the provider's view of Fairlead: a real signer, a real server of its public keys, and events as they are sent.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventBody, eventHeaders, type OutgoingEvent } from '../../../src/events/protocol.ts';
import { createSigner, generateEventKey, type Signer } from '../../../src/events/sign.ts';
import { systemClock } from '../../../src/lib/clock.ts';

export interface SigningFairlead {
  readonly url: string;
  readonly signer: Signer;
  /** The number of key fetches. */
  readonly fetches: () => number;
  /** Sets the response of the key server from now on. */
  publish(answer: unknown, status?: number): void;
  /** Sets the path of the keys from now on. */
  publishAt(path: string): void;
  /** Delays key requests until this. */
  holdUntil(moment: Promise<void>): void;
  close(): Promise<void>;
}

export async function signingFairlead(): Promise<SigningFairlead> {
  const signer = await newSigner();
  let published = { status: 200, body: JSON.stringify(signer.publicKeys()) };
  let held = Promise.resolve();
  let path = '/.well-known/jwks.json';
  let fetches = 0;
  const server = createServer(async (request, response) => {
    fetches += 1;
    await held;
    const { status, body } = request.url === path ? published : { status: 404, body: '{}' };
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    signer,
    fetches: () => fetches,
    publish(answer, status = 200) {
      published = { status, body: typeof answer === 'string' ? answer : JSON.stringify(answer) };
    },
    publishAt(elsewhere) {
      path = elsewhere;
    },
    holdUntil(moment) {
      held = moment;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export async function newSigner(clock = systemClock): Promise<Signer> {
  return createSigner(await generateEventKey(), clock);
}

export function anEvent(changes: Partial<OutgoingEvent> = {}): OutgoingEvent {
  return {
    id: 'evt-1',
    type: 'CREATE',
    organizationId: 'acme',
    projectId: 'default',
    provider: 'shop',
    resource: 'cart',
    name: 'mine',
    config: { size: 3 },
    schemaVersion: 1,
    previousConfig: null,
    previousSchemaVersion: null,
    outputs: {},
    outputsSchemaVersion: 1,
    attempt: 1,
    sequence: 7,
    generation: 1,
    context: null,
    ...changes,
  };
}

export interface Delivery {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** @returns an event as it leaves, for a test to spoil before it is posted */
export function deliveryOf(event: OutgoingEvent, signer: Signer): Delivery {
  const body = JSON.stringify(eventBody(event));
  const token = signer.sign(event, body);
  return {
    headers: { ...eventHeaders(event, new Date()), authorization: `Bearer ${token}` },
    body,
  };
}
