// Logs of builds over HTTP: real requests, a real API server, a node whose containers print on command.
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import { type Listening, listen } from '../../../src/http/listen.ts';
import { type AppDeps, createApp, defaultHttpLimits } from '../../../src/http/server.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Log } from '../../../src/lib/log.ts';
import { noAudit } from '../../support/fixtures/api/no-audit.ts';
import {
  type BuildLogFixture,
  buildLogFixture,
  reading,
} from '../../support/fixtures/code/build-log-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';

let fixture: BuildLogFixture;
let listening: Listening;
const suspended = new EventEmitter().setMaxListeners(0);
const host = '127.0.0.1';

/** All log lines of the process. */
const logged: string[] = [];
const record = (...said: readonly unknown[]) => void logged.push(inspect(said, { depth: 20 }));
const log: Log = { debug: record, info: record, warn: record, error: record, child: () => log };

beforeAll(async () => {
  fixture = await buildLogFixture(log);
  const { builds, logs: buildLogs, organization } = fixture;
  // The token determines the caller: the organization of the bench, with a long or a short lifetime, or another organization.
  const authenticate = (authorization = '') =>
    Promise.resolve({
      organization:
        authorization === 'Bearer others' ? organizationOf('x', 'others') : organization,
      subject: 'ada',
      expiresAt: new Date(Date.now() + (authorization === 'Bearer soon' ? 500 : 3_600_000)),
      role: 'viewer',
      project: undefined,
    });
  const deps = {
    authenticator: { authenticate },
    organizations: {
      ensure: () => Promise.resolve(),
      whenRefused: (_: unknown, cutOff: () => void) => {
        suspended.once('suspended', cutOff);
        return () => suspended.off('suspended', cutOff);
      },
    },
    rateLimiter: { take: () => undefined, charge: () => undefined },
    builds,
    buildLogs,
    limits: defaultHttpLimits,
    clock: systemClock,
    log,
    audit: noAudit,
  };
  listening = await listen(createApp(deps as unknown as AppDeps), { host, port: 0 });
});

afterAll(async () => {
  await listening?.close(0);
  await fixture?.close();
});

interface Asked {
  readonly caller?: 'us' | 'soon' | 'others';
  readonly accept?: string;
  readonly provider?: string;
  readonly lastEventId?: string;
}

function logsOf(
  jobName: string,
  { caller = 'us', accept = '*/*', provider = 'box', lastEventId }: Asked = {},
): Promise<IncomingMessage> {
  const path = `/providers/${provider}/builds/${jobName}/logs`;
  const resumed = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const headers = { authorization: `Bearer ${caller}`, accept, ...resumed };
  return new Promise((resolve, reject) => {
    get({ host, port: listening.port, path, headers, agent: false }, resolve).once('error', reject);
  });
}

it('[T13] cuts a stream when its organization is suspended, without a regular end', async () => {
  const build = await fixture.build();
  const answer = await logsOf(build.jobName, { accept: 'text/event-stream' });
  expect(answer.statusCode).toBe(200);
  const broken = once(answer, 'error');
  answer.resume();
  suspended.emit('suspended');
  expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
});

const expired = 'The token has expired; get a new token to read the rest of the log';

it.each([
  ['*/*', `${expired}\n`],
  ['text/event-stream', `event: expired\ndata: ${expired}\n\n`],
])(
  '[T13] cuts a stream when its token expires, and reports it in the last line (%s)',
  async (accept, lastLine) => {
    const build = await fixture.build();
    const { containers } = await fixture.pod(build);
    await containers.unpack.start();
    const answer = await logsOf(build.jobName, { caller: 'soon', accept });
    const reader = reading(answer);
    expect(await once(answer, 'error')).toMatchObject([{ code: 'ECONNRESET' }]);
    expect(reader.text().endsWith(lastLine)).toBe(true);
  },
);

it('streams lines as plain text while the build runs, and ends with it', async () => {
  const build = await fixture.build();
  const answer = await logsOf(build.jobName);
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
  });
  const reader = reading(answer);
  const { containers } = await fixture.pod(build);
  for (const [name, container] of Object.entries(containers)) {
    await container.start();
    container.print(`grüße from ${name}`);
    await eventually(() => expect(reader.text()).toContain(name));
    await container.exit();
  }
  const lines = (await reader.ended).split('\n').filter((line) => line !== '');
  expect(lines).toEqual(['unpack', 'build', 'publish'].map((name) => `grüße from ${name}`));
});

it('streams server-sent events on request, with an event for the end', async () => {
  const build = await fixture.build();
  const { containers } = await fixture.pod(build);
  const answer = await logsOf(build.jobName, { accept: 'text/event-stream' });
  expect(answer.headers['content-type']).toBe('text/event-stream');
  containers.unpack.print('one', '', 'three');
  for (const each of Object.values(containers)) {
    await each.start();
    await each.exit();
  }
  const events = (await text(answer)).replaceAll(': quiet\n\n', '');
  expect(events).toBe(
    'id: 1\ndata: one\n\nid: 2\ndata: \n\nid: 3\ndata: three\n\nevent: end\ndata:\n\n',
  );
  const rest = await logsOf(build.jobName, { accept: 'text/event-stream', lastEventId: '2' });
  expect((await text(rest)).replaceAll(': quiet\n\n', '')).toContain('id: 3\ndata: three\n\n');
});

it('sends a keep-alive within five seconds of silence', async () => {
  const build = await fixture.build();
  const started = performance.now();
  const reader = reading(await logsOf(build.jobName));
  await eventually(() => expect(reader.text()).toBe('\n'), 10_000);
  expect(performance.now() - started).toBeLessThan(5_000);
  await fixture.report(build, { phase: 'failed' });
  expect(await reader.ended).toContain('its log was not archived');
});

it('[I6] shows build output only to its own organization, during the build and afterwards, and logs none of it', async () => {
  const canary = `canary-${randomUUID()}`;
  const build = await fixture.build();
  const { containers } = await fixture.pod(build);
  containers.build.print(canary);
  const reader = reading(await logsOf(build.jobName));
  const others = async () =>
    [
      await text(await logsOf(build.jobName, { caller: 'others' })),
      await text(await logsOf(canary, { caller: 'others' })),
    ].map((answer) => answer.replaceAll(`/${canary}`, ''));
  for (const each of Object.values(containers)) {
    await each.start();
    expect(String(await others())).not.toContain(canary);
    await each.exit();
  }
  expect(await reader.ended).toContain(canary);
  expect(await text(await logsOf(build.jobName))).toContain(canary);
  expect(String(await others())).not.toContain(canary);
  expect(logged.length).toBeGreaterThan(5);
  expect(logged.filter((line) => line.includes(canary))).toEqual([]);
});

it('[H23] closes the upstream log when the last client disconnects', async () => {
  const build = await fixture.build();
  const { containers } = await fixture.pod(build);
  await containers.unpack.start();
  containers.unpack.print('hello');
  const clients = [await logsOf(build.jobName), await logsOf(build.jobName)];
  const readers = clients.map(reading);
  for (const { text: got } of readers) await eventually(() => expect(got()).toContain('hello'));
  const { streams } = fixture.node;
  expect(streams.open).toBe(1);
  clients[0]?.destroy();
  containers.unpack.print('more');
  await eventually(() => expect(readers[1]?.text()).toContain('more'));
  clients[1]?.destroy();
  await eventually(() => expect(streams.open).toBe(0));
});

it('[H23] does not block on a client that does not read', async () => {
  const build = await fixture.build();
  const { containers } = await fixture.pod(build);
  await containers.unpack.start();
  const idle = await logsOf(build.jobName);
  idle.pause();
  const reader = reading(await logsOf(build.jobName));
  const line = 'x'.repeat(10_000);
  for (let count = 0; count < 2_000; count += 1) containers.unpack.print(line);
  for (const each of Object.values(containers)) {
    await each.start();
    await each.exit();
  }
  expect((await reader.ended).length).toBeGreaterThan(1_000_000);
  const late = await text(idle);
  expect(late).toContain('bytes of the log are omitted here');
  expect(late.trimEnd().endsWith(line)).toBe(true);
});

it('answers HEAD with the headers only', async () => {
  const { jobName } = await fixture.build();
  const path = `/providers/box/builds/${jobName}/logs`;
  const answer = await new Promise<IncomingMessage>((resolve) => {
    const headers = { authorization: 'Bearer us' };
    request(
      { host, port: listening.port, path, method: 'HEAD', headers, agent: false },
      resolve,
    ).end();
  });
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(await text(answer)).toBe('');
});

it.each<[string, string, Asked]>([
  ['of another organization', '', { caller: 'others' }],
  ['of another provider', '', { provider: 'other' }],
  ['that is not there', 'box-20200101-000000', {}],
  ['named like a path', '..%2F..%2Fpods', {}],
  ['named like a query', 'x%3Ffollow=true', {}],
  ['named in capitals', 'BOX', {}],
  ['named endlessly', 'x'.repeat(2_000), {}],
  ['named with a zero byte', 'box%00', {}],
])('a build %s is not found', async (_reason, jobName, asked) => {
  const { jobName: own } = await fixture.build();
  const answer = await logsOf(jobName || own, asked);
  expect(answer.statusCode).toBe(404);
  expect(JSON.parse(await text(answer))).toMatchObject({ code: 'build_not_found' });
});
