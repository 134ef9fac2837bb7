// The server around the routes: its log, hidden details, its end. Stores are stubs.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FairleadError } from '../../../src/domain/errors.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import { type Listening, listen } from '../../../src/http/listen.ts';
import { type AppDeps, createApp, defaultHttpLimits } from '../../../src/http/server.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Log, LogFields } from '../../../src/lib/log.ts';
import { noAudit } from '../../support/fixtures/api/no-audit.ts';
import { eventually } from '../../support/runner/eventually.ts';

interface Line {
  readonly level: string;
  readonly fields: LogFields;
  readonly message: string;
}

let lines: Line[];
let listening: Listening;
let agent: Agent;
let listProjects: () => Promise<never[]>;

const organization = organizationOf('https://issuer.test', 'acme');
const host = '127.0.0.1';

beforeEach(async () => {
  lines = [];
  listProjects = () => Promise.resolve([]);
  agent = new Agent({ keepAlive: true });
  const deps = {
    authenticator: {
      authenticate: () =>
        Promise.resolve({
          organization,
          subject: 'ada',
          role: 'viewer',
          project: undefined,
          expiresAt: new Date(Date.now() + 3_600_000),
        }),
    },
    organizations: {
      check: () => undefined,
      ensure: () => Promise.resolve(),
      whenRefused: () => () => undefined,
    },
    projects: { list: () => listProjects() },
    readiness: () => ({ ready: false, checks: { caches: false } }),
    limits: defaultHttpLimits,
    rateLimiter: { take: () => undefined, charge: () => undefined },
    clock: systemClock,
    log: recording(lines),
    audit: noAudit,
  };
  listening = await listen(createApp(deps as unknown as AppDeps), { host, port: 0 });
});

afterEach(async () => {
  agent.destroy();
  await listening.close(0);
});

function recording(to: Line[]): Log {
  const at = (level: string) => (fields: LogFields, message: string) => {
    to.push({ level, fields, message });
  };
  const log: Log = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => log,
  };
  return log;
}

interface Answer {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
}

async function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const asked = request({ host, port: listening.port, path, headers, agent });
  asked.end();
  const [response] = await once(asked, 'response');
  const requestId = String(response.headers['x-request-id']);
  return { status: response.statusCode, requestId, text: await text(response) };
}

/** Lets the request continue, and reports when it has begun. */
function held(): { begun: Promise<void>; release: () => void } {
  const release = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  listProjects = async () => {
    begun.resolve();
    await release.promise;
    return [];
  };
  return { begun: begun.promise, release: release.resolve };
}

describe('an unexpected failure', () => {
  it('[H26] is logged with the id of the request, and not shown to the client', async () => {
    listProjects = () => Promise.reject(new Error('the password is hunter2'));
    const answer = await get('/projects');
    const text = JSON.stringify({ detail: 'Internal Server Error', request_id: answer.requestId });
    expect(answer).toMatchObject({ status: 500, text });
    const failures = lines.filter(({ level }) => level === 'error');
    expect(failures).toMatchObject([
      { fields: { request_id: answer.requestId, route: '/projects', error: expect.any(Error) } },
    ]);
  });

  it('is not logged when it is a regular error', async () => {
    listProjects = () =>
      Promise.reject(new FairleadError('unavailable', 'Later', { retryAfter: 3 }));
    expect(await get('/projects')).toMatchObject({ status: 503 });
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it.each([undefined, null, 'text', 0])('may be %j', async (thrown) => {
    listProjects = () => Promise.reject(thrown);
    expect(await get('/projects')).toMatchObject({ status: 500 });
  });
});

describe('the access log', () => {
  it('has one line per request, without token, query or path', async () => {
    const { requestId } = await get('/projects?secret=hunter2', {
      authorization: 'Bearer hunter2',
    });
    await get('/nowhere/hunter2');
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'Request answered',
        fields: {
          method: 'GET',
          route: '/projects',
          status: 422,
          ms: expect.any(Number),
          request_id: requestId,
          organization: organization.namespace,
        },
      },
      {
        level: 'info',
        message: 'Request answered',
        fields: expect.objectContaining({ status: 404 }),
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('logs probes at debug level only', async () => {
    await get('/livez');
    expect(await get('/readyz')).toMatchObject({ status: 503 });
    expect(lines.map(({ level }) => level)).toEqual(['debug', 'debug']);
  });

  it('marks clients that disconnected early', async () => {
    const { begun, release } = held();
    const asked = request({ host, port: listening.port, path: '/projects' });
    asked.on('error', () => undefined).end();
    await begun;
    asked.destroy();
    await expect.poll(() => lines).toMatchObject([{ fields: { aborted: true } }]);
    release();
  });
});

describe('the shutdown', () => {
  it('[H25] waits for requests in progress and for nothing else', async () => {
    await get('/livez');
    const { begun, release } = held();
    const answer = get('/projects');
    await begun;
    const started = performance.now();
    const closed = listening.close(60_000);
    await expect(get('/livez', { connection: 'close' })).rejects.toThrow(/ECONNREFUSED/);
    release();
    expect(await answer).toMatchObject({ status: 200, text: '[]' });
    await closed;
    expect(performance.now() - started, 'idle connections are not waited for').toBeLessThan(3_000);
  });

  it('closes what takes longer than the grace period', async () => {
    const { begun, release } = held();
    const answer = get('/projects').catch((thrown: unknown) => thrown);
    await begun;
    await listening.close(50);
    expect(await answer).toBeInstanceOf(Error);
    release();
  });

  it('closes incomplete requests', async () => {
    const socket = await opened('POST /resources/apply HTTP/1.1\r\nHost: x\r\n');
    const ended = once(socket, 'close');
    await listening.close(50);
    await ended;
  });
});

it('[I7] limits unread long lists, and continues when they are read', async () => {
  const many = Array.from({ length: 80_000 }, (_, n) => ({
    projectId: `p-${n}`,
    name: 'x'.repeat(250),
  }));
  listProjects = () => Promise.resolve(many as never[]);
  const unread = connect(listening.port, host);
  unread.on('error', () => undefined);
  const begun = once(unread, 'data');
  unread.write('GET /projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n\r\n');
  expect(String((await begun)[0])).toMatch(/^HTTP\/1\.1 200/);
  unread.pause();
  const address = `http://${host}:${listening.port}/projects`;
  const refused = await fetch(address);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject({
    detail: expect.stringContaining('read the answers'),
  });
  unread.destroy();
  await eventually(async () => {
    const answer = await fetch(address);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toHaveLength(80_000);
  });
});

it('reports a port in use', async () => {
  const app = createApp({ limits: defaultHttpLimits, audit: noAudit } as unknown as AppDeps);
  await expect(listen(app, { host, port: listening.port })).rejects.toThrow(/EADDRINUSE/);
});

async function opened(head: string): Promise<Socket> {
  const socket = connect(listening.port, host);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(head);
  return socket;
}
