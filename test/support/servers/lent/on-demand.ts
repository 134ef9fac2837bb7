// Servers of a run that start when a worker first asks for one, and stop when each worker that asked has ended. Without requests a
// control plane still takes some 2.5 % of a core, and a whole Fairlead 4 %: those of one project would slow the others.
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running server, and what its borrowers need to know of it, as JSON. */
export interface Lent {
  readonly place: unknown;
  stop(): Promise<void>;
}

export interface Lender extends AsyncDisposable {
  readonly url: string;
}

interface Entry {
  readonly lent: Promise<Lent>;
  borrowers: number;
}

/** @param start starts the server of a name */
export async function lend(start: (name: string) => Promise<Lent>): Promise<Lender> {
  const running = new Map<string, Entry>();
  const stopped: Promise<void>[] = [];

  function stop(name: string, entry: Entry): void {
    if (running.get(name) !== entry) return;
    running.delete(name);
    stopped.push(
      entry.lent.then(
        (lent) => lent.stop(),
        () => undefined,
      ),
    );
  }

  function answer(name: string, response: ServerResponse): void {
    const entry = running.get(name) ?? { lent: start(name), borrowers: 0 };
    running.set(name, entry);
    entry.borrowers += 1;
    // The answer does not end, so its connection lasts as long as the process of the borrower.
    response.once('close', () => {
      entry.borrowers -= 1;
      if (entry.borrowers === 0) stop(name, entry);
    });
    entry.lent.then(
      ({ place }) => response.write(`${JSON.stringify(place)}\n`),
      (thrown: unknown) => response.writeHead(500).end(String(thrown)),
    );
  }

  const server = createServer((request, response) => {
    answer((request.url ?? '').slice(1), response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      for (const [name, entry] of running) stop(name, entry);
      await Promise.allSettled(stopped);
    },
  };
}

const borrowed = new Map<string, Promise<unknown>>();

/** @param url of the lender @returns the place of the server, which runs until this process ends */
export function borrow<T>(url: string, name: string): Promise<T> {
  const address = `${url}/${name}`;
  const place = borrowed.get(address) ?? ask(address);
  borrowed.set(address, place);
  return place as Promise<T>;
}

async function ask(address: string): Promise<unknown> {
  const asked = get(address, { agent: false });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  // At the end of the run the lender closes it.
  for (const each of [asked, answer]) each.on('error', () => undefined);
  const text = await new Promise<string>((resolve) => {
    let read = '';
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      read += chunk;
      if (read.endsWith('\n')) resolve(read);
    });
    answer.once('close', () => resolve(read));
  });
  if (answer.statusCode !== 200) throw new Error(text);
  answer.socket.unref();
  return JSON.parse(text);
}
