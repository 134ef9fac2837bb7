// Limits connections of untrusted clients: an address may hold as many as it leaves free; unread responses end a
// connection.
import type { Server } from 'node:http';
import { isIPv6, type Socket } from 'node:net';

export interface ConnectionRules {
  /** Concurrent connections. */
  readonly connections: number;
  /** Per address; never more than are left free, so at most half of all. */
  readonly connectionsPerAddress?: number | undefined;
  /** How long a response may wait until the client reads a part of it. */
  readonly unreadMs: number;
}

/** The bytes that a client must read in that time, if as many are pending. */
const minBytes = 16_384;
const maxCheckMs = 5_000;

interface PeerProgress {
  /** The bytes that the peer has received, as far as the kernel knows. */
  taken: number;
  since: number;
}

/** @returns a function that stops the checks */
export function keepConnections(server: Server, rules: ConnectionRules): () => void {
  const { connections, connectionsPerAddress = connections, unreadMs } = rules;
  const open = new Map<Socket, PeerProgress>();
  const openFrom = new Map<string, number>();

  server.on('connection', (socket) => {
    const address = addressGroup(socket.remoteAddress);
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

/** A connection with nothing to send is idle, as a quiet stream is; that is not the client's fault. */
function isUnread(socket: Socket, progress: PeerProgress, now: number, unreadMs: number): boolean {
  const waiting = socket.writableLength;
  const taken = socket.bytesWritten - waiting;
  if (waiting === 0 || taken - progress.taken >= minBytes) {
    progress.taken = taken;
    progress.since = now;
    return false;
  }
  return now - progress.since >= unreadMs;
}

/** The owner of an IPv6 address has its whole /64 network. */
function addressGroup(address = ''): string {
  const plain = address.replace(/^::ffff:/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [left = '', right = ''] = plain.split('::');
  const head = left.split(':').filter((each) => each !== '');
  const tail = right.split(':').filter((each) => each !== '');
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}
