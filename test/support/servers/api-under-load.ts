// Runs the API as a separate process with every organization known and nothing stored, so that its memory is that of
// connections. It reports repeatedly over IPC: its ports, open connections, current memory and peak memory.
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { organizationOf } from '../../../src/domain/identity.ts';
import { createHealthApp } from '../../../src/http/health-app.ts';
import { listen } from '../../../src/http/listen.ts';
import { type AppDeps, createApp, defaultHttpLimits } from '../../../src/http/server.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { noAudit } from '../fixtures/api/no-audit.ts';

export interface LoadedApi {
  readonly port: number;
  readonly probePort: number;
  readonly open: number;
  readonly rss: number;
  readonly peak: number;
}

const everyMs = 20;
const [unreadMs = '30000'] = process.argv.slice(2);
const host = '127.0.0.1';
const caller = {
  organization: organizationOf('https://id.test', 'acme'),
  ...{ subject: 'ada', role: 'admin', project: undefined },
  expiresAt: new Date(Date.now() + 3_600_000),
};
const standing = {
  authenticator: { authenticate: () => Promise.resolve(caller) },
  organizations: {
    check: () => undefined,
    ensure: () => Promise.resolve(),
    whenRefused: () => () => undefined,
  },
  rateLimiter: { take: () => undefined, charge: () => undefined },
  readiness: () => ({ ready: true, checks: {} }),
  eventKeys: () => ({ keys: [] }),
  ...{ limits: defaultHttpLimits, clock: systemClock, log: silentLog, audit: noAudit },
};

const sockets = new Set<Socket>();
subscribe('net.server.socket', (message) => {
  const { socket } = message as { socket: Socket };
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
});

// A process that gets no CPU for 10 s would answer 408 by the default for heads: what is refused here is refused for its bytes.
const limits = { connections: 2_000, unreadMs: Number(unreadMs), headersMs: 60_000 };
const api = await listen(createApp(standing as unknown as AppDeps), { host, port: 0, limits });
const probes = await listen(createHealthApp(standing.readiness), { host, port: 0 });
let peak = 0;
setInterval(() => {
  const rss = process.memoryUsage.rss();
  peak = Math.max(peak, rss);
  const open = [...sockets].filter(({ localPort }) => localPort === api.port).length;
  process.send?.({ port: api.port, probePort: probes.port, open, rss, peak } satisfies LoadedApi);
}, everyMs);
process.once('disconnect', () => process.exit());
