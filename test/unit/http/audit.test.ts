// The audit lines: exactly one for every request that is not a read, whatever becomes of it.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FairleadError } from '../../../src/domain/errors.ts';
import { createAudit } from '../../../src/http/audit.ts';
import { documentedEndpoints } from '../../../src/http/auth/access-table.ts';
import { unauthenticated } from '../../../src/http/auth/claims.ts';
import type { Endpoint } from '../../../src/http/endpoint.ts';
import type { Listening } from '../../../src/http/listen.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import {
  admin,
  ask,
  bodies,
  failingInsteadOf,
  organization,
  pathOf,
  type SentBody,
  secretOfAFailure,
  sentTo,
  serveRoutes,
  storesOfNothing,
} from '../../support/fixtures/api/every-route.ts';
import { eventually } from '../../support/runner/eventually.ts';

const canary = 'canary-5f0c';
const fields = [
  ...['audit', 'time', 'request_id', 'subject', 'subject_name', 'issuer'],
  ...['organization', 'namespace', 'project'],
  ...['role', 'method', 'operation', 'target', 'dry_run', 'outcome', 'status', 'code', 'aborted'],
  'ms',
];

interface Line extends Readonly<Record<string, unknown>> {
  readonly target: Readonly<Record<string, string>>;
}

let texts: string[] = [];
let listening: Listening | undefined;
let audit = createAudit({ write: (line) => texts.push(line), clock: systemClock });

afterEach(async () => {
  await listening?.close(0);
  audit.close();
  texts = [];
});

async function serving(
  changes: object,
  stores: object = storesOfNothing(() => undefined),
): Promise<Listening> {
  audit = createAudit({ write: (line) => texts.push(line), clock: systemClock });
  listening = await serveRoutes(stores, { ...changes, audit });
  return listening;
}

/** @returns the only line so far; the next call gets the next one */
async function theLine(): Promise<Line> {
  await eventually(() => expect(texts).toHaveLength(1));
  const [text = ''] = texts.splice(0);
  // Printable, so no reader sees a second line in it.
  expect(text).toMatch(/^[\x20-\x7e]+\n$/);
  const line = JSON.parse(text) as Line;
  expect(Object.keys(line)).toEqual(fields);
  return line;
}

const changing = documentedEndpoints().filter(({ method }) => method !== 'GET');

function requestTo({ id, exchange }: Endpoint): SentBody {
  const content = exchange.file === undefined ? {} : { 'multipart/form-data': {} };
  const sent = sentTo({ id, body: content });
  return { ...sent, headers: { authorization: `Bearer ${canary}`, cookie: canary } };
}

/** One spelling, whatever the path looked like. */
function targetOf({ path }: Endpoint): object {
  const isOneResource = path.startsWith('/resources/{');
  if (isOneResource) return { resource_id: 'resource:box_crate_a' };
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, pathOf({ path: `{${name}}` })]));
}

describe.each(changing.map((each) => [each.id, each] as const))(
  '%s leaves one line',
  (operation, endpoint) => {
    const send = (at: Listening, search = '') =>
      ask(at, endpoint.method, `${pathOf(endpoint)}${search}`, requestTo(endpoint));

    it('that names caller, operation, target and outcome', async () => {
      const answer = await send(await serving({}));
      const line = await theLine();
      expect(line).toMatchObject({
        audit: true,
        request_id: answer.headers['x-request-id'],
        subject: 'ada',
        issuer: organization.issuer,
        organization: 'acme',
        namespace: organization.namespace,
        role: 'admin',
        method: endpoint.method,
        operation,
        target: targetOf(endpoint),
        dry_run: false,
        status: answer.status,
        aborted: false,
      });
      const { code } = (answer.body ?? {}) as { code?: string };
      if (code !== undefined) expect(line['code']).toBe(code);
    });

    it('when a token is missing, a role, the room, or a parameter is wrong', async () => {
      const rejected = (error: FairleadError) => () => Promise.reject(error);
      const at = await serving({ authenticator: { authenticate: rejected(unauthenticated()) } });
      await send(at);
      const anonymous = { subject: null, organization: null, role: null, operation };
      expect(await theLine()).toMatchObject({
        ...anonymous,
        ...{ outcome: 'refused', status: 401, code: 'unauthenticated' },
        target: targetOf(endpoint),
      });
      await at.close(0);
      const viewer = { ...admin, role: 'viewer' };
      const asViewer = await serving({
        authenticator: { authenticate: () => Promise.resolve(viewer) },
      });
      await send(asViewer);
      expect(await theLine()).toMatchObject({ role: 'viewer', status: 403, outcome: 'refused' });
      await asViewer.close(0);
      const take = () => {
        throw new FairleadError('too_many_requests', 'Too many requests');
      };
      const limited = await serving({ rateLimiter: { take, charge: () => undefined } });
      await send(limited);
      expect(await theLine()).toMatchObject({ subject: 'ada', status: 429, outcome: 'refused' });
      await limited.close(0);
      await send(await serving({}), `?${canary}=${canary}`);
      expect(await theLine()).toMatchObject({ status: 422, code: 'invalid', outcome: 'refused' });
    });

    it('without a body, a token or the text of a failure', async () => {
      const failing = failingInsteadOf(storesOfNothing(() => undefined));
      const at = await serving({}, failing);
      const body = { ...bodies[operation], config: { password: canary }, extra: canary };
      const headers = { authorization: `Bearer ${canary}` };
      await ask(at, endpoint.method, pathOf(endpoint), { body, headers });
      await send(at);
      await eventually(() => expect(texts).toHaveLength(2));
      expect(texts.join('')).not.toContain(canary);
      expect(texts.join('')).not.toContain(secretOfAFailure);
      expect(texts.map((each) => (JSON.parse(each) as Line)['outcome'])).not.toContain('succeeded');
    });
  },
);

describe('the target', () => {
  it('has the ids of a body that was read', async () => {
    const at = await serving({});
    await ask(at, 'POST', '/resources/apply', { body: bodies['applyResource'] });
    expect((await theLine()).target).toEqual({ resource_id: 'resource:box_crate_a' });
    await ask(at, 'POST', '/providers/box/deploy', { body: bodies['deployProvider'] });
    expect((await theLine()).target).toEqual({ provider: 'box', version: '20260131.120000' });
    await ask(at, 'DELETE', '/ops/dead-letter?provider=box&cause=ab');
    expect((await theLine()).target).toEqual({ provider: 'box', cause: 'ab' });
  });

  it.each([
    ['%0A%7B%22audit%22%3Atrue%7D', '\n{"audit":true}'],
    ['%E2%80%A8%E2%80%AE%C2%85', '\u2028\u202e\u0085'],
    ['%1B%5B2J%00', '\u001b[2J\u0000'],
    ['%ff%zz', '%ff%zz'],
    ['n'.repeat(5_000), `${'n'.repeat(319)}…`],
  ])('%j stays inside one line', async (sent, shown) => {
    await ask(await serving({}), 'DELETE', `/projects/${sent}`);
    expect((await theLine()).target).toEqual({ project_id: shown });
  });
});

it('names no operation for a path or a method that does not exist', async () => {
  const at = await serving({});
  await ask(at, 'POST', `/${canary}`);
  expect(await theLine()).toMatchObject({ operation: null, target: {}, status: 404 });
  await ask(at, 'PUT', '/projects/shop');
  const refused = { operation: null, target: { project_id: 'shop' }, status: 405 };
  expect(await theLine()).toMatchObject(refused);
});

it('reports a dry run', async () => {
  const at = await serving({});
  await ask(at, 'DELETE', '/resources/box:crate:a?dry_run=true');
  expect(await theLine()).toMatchObject({ dry_run: true, status: 204, outcome: 'succeeded' });
});

it('leaves no line for reads', async () => {
  const at = await serving({});
  await ask(at, 'GET', '/projects');
  await ask(at, 'HEAD', '/projects');
  await ask(at, 'DELETE', '/projects/shop');
  expect(await theLine()).toMatchObject({ method: 'DELETE' });
});

describe('a client that disconnects', () => {
  it('leaves the outcome of its work, when that is known', async () => {
    const work = Promise.withResolvers<void>();
    let began = false;
    const remove = async () => {
      began = true;
      await work.promise;
    };
    const at = await serving({ projects: { remove } });
    const asking = request({ port: at.port, method: 'DELETE', path: '/projects/shop' }).end();
    asking.on('error', () => undefined);
    await eventually(() => expect(began).toBe(true));
    const gone = new Promise((resolve) => asking.once('close', resolve));
    asking.destroy();
    await gone;
    expect(texts).toEqual([]);
    work.resolve();
    expect(await theLine()).toMatchObject({ outcome: 'succeeded', status: 204, aborted: true });
  });

  it('before the end of its body leaves a refusal', async () => {
    const at = await serving({});
    const socket = connect(at.port, '127.0.0.1');
    const head = ['POST /resources/apply HTTP/1.1', 'Host: x', 'Content-Length: 9'];
    socket.write(`${[...head, 'Content-Type: application/json', '', '{'].join('\r\n')}`);
    socket.once('ready', () => setImmediate(() => socket.destroy()));
    const gone = { outcome: 'refused', status: null, code: 'client_gone', aborted: true };
    expect(await theLine()).toMatchObject(gone);
  });
});

it('leaves a line at the end of the process for work that has not ended, and no second one', async () => {
  const work = Promise.withResolvers<void>();
  const remove = () => work.promise;
  const at = await serving({ projects: { remove } });
  const asking = request({ port: at.port, method: 'DELETE', path: '/projects/shop' }).end();
  asking.on('error', () => undefined);
  await once(asking, 'finish');
  await at.close(50);
  audit.close();
  const unknown = { outcome: 'unknown', status: null, target: { project_id: 'shop' } };
  expect(await theLine()).toMatchObject(unknown);
  work.resolve();
  audit.close();
  await Promise.resolve();
  expect(texts).toEqual([]);
});
