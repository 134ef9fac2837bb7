// A TCP proxy in front of several servers that sends each connection to the next of them, as a load balancer does, and that cuts
// connections, or refuses new ones, on command.

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface SwitchingProxy {
  readonly url: string;
  /** Connections so far, by the port of their server. */
  readonly opened: ReadonlyMap<number, number>;
  /** Ends all open connections, without a word. */
  cut(): void;
  /** Ends all open connections and new ones, until `restore`. */
  interrupt(): void;
  restore(): void;
  close(): void;
}

/** @param ports of servers on loopback */
export async function startSwitchingProxy(ports: readonly number[]): Promise<SwitchingProxy> {
  const sockets = new Set<Socket>();
  const opened = new Map(ports.map((port) => [port, 0]));
  let [next, isInterrupted] = [0, false];
  const server = createServer((client) => {
    if (isInterrupted) {
      client.destroy();
      return;
    }
    const port = ports[next++ % ports.length] ?? 0;
    opened.set(port, (opened.get(port) ?? 0) + 1);
    const upstream = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    opened,
    cut,
    interrupt: () => {
      isInterrupted = true;
      cut();
    },
    restore: () => {
      isInterrupted = false;
    },
    close: () => {
      server.close();
      cut();
    },
  };
}
