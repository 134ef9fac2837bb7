// Runs a real provider on a real socket that records every delivery, and answers as a test instructs.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { EventBody } from '../../src/domain/event.ts';

export interface Receipt {
  readonly body: EventBody;
  readonly headers: IncomingMessage['headers'];
  readonly at: number;
}

export type Respond = (receipt: Receipt, response: ServerResponse) => void | Promise<void>;

export interface RecordingProvider {
  readonly url: string;
  readonly receipts: readonly Receipt[];
  /** Sets the response from now on. */
  respond(how: Respond): void;
  close(): Promise<void>;
}

/** The response of a provider that did its work. */
export function done(outputs: object = { made: true }): Respond {
  return (_receipt, response) => answer(response, 200, { outputs });
}

export function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export async function recordingProvider(first: Respond = done()): Promise<RecordingProvider> {
  const receipts: Receipt[] = [];
  let respond = first;
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as EventBody;
      const receipt = { body, headers: request.headers, at: Date.now() };
      receipts.push(receipt);
      await respond(receipt, response);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: urlOf(server),
    receipts,
    respond: (how) => {
      respond = how;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return `http://127.0.0.1:${address.port}`;
}
