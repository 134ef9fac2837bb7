// Limits connections from untrusted clients: one address may hold as many as it leaves free, and a connection whose
// responses are not read is closed.
import type { Server } from 'node:http';
import { isIPv6, type Socket } from 'node:net';

export interface ConnectionRules {
  /** Connections at a time. */
  readonly connections: number;
  /** From one address; as many as it leaves free in any case, so half of all is the most. */
  readonly connectionsPerAddress?: number | undefined;
  /** How long an answer may wait for its reader to take a piece of it. */
  readonly unreadMs: number;
}

/** So much must be read in that time, if so much is there. */
const minBytes = 16_384;
const maxCheckMs = 5_000;

interface Progress {
  /** What the other side has taken, as far as the kernel knows. */
  taken: number;
  since: number;
}

/** @returns what ends the looking */
export function keepConnections(server: Server, rules: ConnectionRules): () => void {
  const { connections, connectionsPerAddress = connections, unreadMs } = rules;
  const open = new Map<Socket, Progress>();
  const openFrom = new Map<string, number>();

  server.on('connection', (socket) => {
    const address = groupOf(socket.remoteAddress);
    const before = openFrom.get(address) ?? 0;
    if (before >= Math.min(connectionsPerAddress, connections - open.size)) {
      socket.destroy();
      return;
    }
    openFrom.set(address, before + 1);
    open.set(socket, { taken: 0, since: performance.now() });
    socket.once('close', () => {
      open.delete(socket);
      const left = (openFrom.get(address) ?? 1) - 1;
      if (left === 0) openFrom.delete(address);
      else openFrom.set(address, left);
    });
  });

  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const [socket, progress] of open) {
        if (isUnread(socket, progress, now, unreadMs)) socket.destroy();
      }
    },
    Math.min(maxCheckMs, unreadMs / 4),
  );
  timer.unref();
  return () => clearInterval(timer);
}

/** A connection with nothing to be sent is idle, as a quiet stream is; that is nobody's fault. */
function isUnread(socket: Socket, progress: Progress, now: number, unreadMs: number): boolean {
  const waiting = socket.writableLength;
  const taken = socket.bytesWritten - waiting;
  if (waiting === 0 || taken - progress.taken >= minBytes) {
    progress.taken = taken;
    progress.since = now;
    return false;
  }
  return now - progress.since >= unreadMs;
}

/** Who has an IPv6 address has the whole network of 64 bits below it. */
function groupOf(address = ''): string {
  const plain = address.replace(/^::ffff:/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [left = '', right = ''] = plain.split('::');
  const head = left.split(':').filter((each) => each !== '');
  const tail = right.split(':').filter((each) => each !== '');
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}
