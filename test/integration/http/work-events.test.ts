// Progress of batches and sets as server-sent events, over HTTP against a real API server that fails for a member.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { SetAnswer } from '../../../src/api/shapes.ts';
import { keyOf, objectNameOf } from '../../../src/domain/identity.ts';
import type { Log } from '../../../src/lib/log.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../../support/faults/fault-proxy.ts';
import { type EventReader, openEvents } from '../../support/runner/event-stream.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedIdentities } from '../../support/servers/control-plane.ts';
import {
  type ApiCaller,
  type ServedApi,
  serveApi,
  textOf,
} from '../../support/servers/served-api.ts';

const organization = 'work-events';
const canary = 'canary-41ce';
let proxy: FaultProxy;
let api: ServedApi;
let acme: ApiCaller;
let token: string;

type Fields = Readonly<Record<string, unknown>>;
let audited: Fields[] = [];
let logged: (Fields & { readonly message: string })[] = [];
const record = (fields: Fields, message: string) => void logged.push({ ...fields, message });
const log = { debug: record, info: record, warn: record, error: record, child: () => log } as Log;

beforeAll(async () => {
  proxy = await startFaultProxy(sharedIdentities().controller);
  const audit = (line: string) => audited.push(JSON.parse(line) as Fields);
  api = await serveApi({ kubeconfig: proxy.kubeconfig, audit, log });
  acme = await api.caller(organization);
  token = await api.issuer.token({ org_id: organization });
  await acme.post('/resources/register', {
    provider: 'box',
    resource: 'crate',
    schema: { type: 'object', properties: { size: { type: 'integer' } } },
  });
});
afterEach(() => {
  audited = [];
  logged = [];
});
afterAll(async () => {
  await api?.close();
  await proxy?.stop();
});

const tupleOf = (name: string) => ({ provider: 'box', resource: 'crate', name });
const drafts = (size: number, ...names: readonly string[]) => ({
  resources: names.map((name) => ({
    ...tupleOf(name),
    ...{ config: { size }, lifecycle_state: 'draft' },
  })),
});

/** What becomes of the writes of a resource that exists. @returns what takes it back */
function whenWritten(name: string, fault: Fault): () => void {
  const at = `/resources/${objectNameOf(keyOf(tupleOf(name)))}`;
  return proxy.rule(({ method, path }) =>
    method === 'PUT' && path.endsWith(at) ? fault : undefined,
  );
}

const [set, batch] = [
  ['PUT', '/sets/'],
  ['POST', '/resources/batch'],
] as const;

function pathOf(path: string, name: string): string {
  return path === set[1] ? `${path}${name}` : path;
}

async function reported(
  [method, path]: readonly [string, string],
  body: unknown,
): Promise<EventReader> {
  return await openEvents(api, { token, path, change: { method, body } });
}

async function ended(reader: EventReader): Promise<EventReader> {
  await eventually(() => expect(reader.ended).toBe('whole'));
  return reader;
}

const outcomesIn = (data: unknown) =>
  (data as SetAnswer).resources.map(({ resource, outcome }) => `${resource} ${outcome}`);

it.each([set, batch])('%s %s reports progress, and last its answer', async (method, path) => {
  const [a, b] = [`a-${method.toLowerCase()}`, `b-${method.toLowerCase()}`];
  const at = [method, pathOf(path, 'whole')] as const;
  const { status, response, events } = await ended(await reported(at, drafts(1, a, b)));
  expect([status, response.headers['content-type']]).toEqual([200, 'text/event-stream']);
  const progress = events.slice(0, -1);
  expect(progress.map(({ type }) => type)).toEqual(progress.map(() => 'progress'));
  expect(progress.at(-1)?.data).toEqual({ total: 2, done: 2, refused: 0 });
  const last = events.at(-1);
  expect(last?.type).toBe('end');
  expect(outcomesIn(last?.data)).toEqual([`box/crate/${a} applied`, `box/crate/${b} applied`]);
  const { body } = await acme.send(...at, { body: drafts(1, a, b) });
  const again = await ended(await reported(at, drafts(1, a, b)));
  expect(again.events.at(-1)).toMatchObject({ type: 'end', data: body });
});

it('reports what becomes of the members of a set that goes', async () => {
  await acme.send('PUT', '/sets/going', { body: drafts(1, 'gone-1', 'gone-2') });
  const at = ['DELETE', '/sets/going?resources=leave'] as const;
  const { status, events } = await ended(await reported(at, undefined));
  expect(status).toBe(200);
  expect(events.at(-2)).toMatchObject({ type: 'progress', data: { total: 2, done: 2 } });
  expect(events.at(-1)?.type).toBe('end');
  expect(outcomesIn(events.at(-1)?.data)).toEqual([
    'box/crate/gone-1 applied',
    'box/crate/gone-2 applied',
  ]);
  expect((await acme.get('/sets/going')).status).toBe(404);
});

it('answers a preview with the plan alone', async () => {
  const body = drafts(1, 'planned');
  const at = ['PUT', '/sets/previewed?dry_run=true'] as const;
  const { events } = await ended(await reported(at, body));
  const { plan } = (await acme.send(...at, { body })).body as SetAnswer;
  expect(events).toMatchObject([{ type: 'end', data: { plan } }]);
});

it('answers as ever what is refused before anything is written', async () => {
  const accept = { accept: 'text/event-stream' };
  const body = { resources: [{ ...tupleOf('bad'), config: { size: 'x' } }] };
  const sent = {
    body: { resources: body.resources.map((each) => ({ ...each, lifecycle_state: 'pending' })) },
  };
  const asEvents = await acme.send('PUT', '/sets/refused', { ...sent, headers: accept });
  expect(asEvents.status).toBe(422);
  expect(textOf(asEvents)).toBe(textOf(await acme.send('PUT', '/sets/refused', sent)));
  await acme.send('PUT', '/sets/refused', { body: drafts(1, 'only') });
  const lift = whenWritten('only', { answer: 422, body: { code: 422, message: canary } });
  const failed = await acme.send('PUT', '/sets/refused', {
    body: drafts(2, 'only'),
    headers: accept,
  });
  lift();
  expect(failed).toMatchObject({ status: 503, body: { code: 'unavailable' } });
});

it('ends with the error, by which it is audited and logged; the cause is logged alone', async () => {
  const at = ['PUT', '/sets/failing'] as const;
  await acme.send(...at, { body: drafts(1, 'fine', 'failing') });
  [audited, logged] = [[], []];
  const lift = whenWritten('failing', { answer: 422, body: { code: 422, message: canary } });
  const { status, events, response, text } = await ended(
    await reported(at, drafts(2, 'fine', 'failing')),
  );
  lift();
  expect(status).toBe(200);
  expect(events.filter(({ type }) => type !== 'progress')).toHaveLength(1);
  const id = response.headers['x-request-id'];
  const resources = [
    { resource: 'box/crate/fine', outcome: 'applied', error: null },
    { resource: 'box/crate/failing', outcome: 'refused', error: { code: 'unavailable' } },
  ];
  expect(events.at(-2)?.data).toEqual({ total: 2, done: 2, refused: 1 });
  expect(events.at(-1)).toMatchObject({
    type: 'error',
    data: { status: 409, code: 'set_incomplete', request_id: id, context: { resources } },
  });
  expect(text).not.toContain(canary);
  await eventually(() =>
    expect(audited).toMatchObject([
      { request_id: id, outcome: 'failed', status: 409, code: 'set_incomplete', aborted: false },
    ]),
  );
  const answered = { message: 'Request answered', status: 409, request_id: id };
  const cause = { resources: 1, request_id: id, error: { message: canary } };
  const own = logged.filter(({ request_id }) => request_id === id);
  expect(own).toMatchObject([{ message: 'Request failed unexpectedly', ...cause }, answered]);
  expect((await acme.get('/sets/failing')).body).toMatchObject({ complete: false });
});

it('writes on without a reader', async () => {
  const at = ['PUT', '/sets/unread'] as const;
  await acme.send(...at, { body: drafts(1, 'early', 'late') });
  audited = [];
  const released = Promise.withResolvers<void>();
  const lift = whenWritten('late', { holdUntil: released.promise });
  const reader = await reported(at, drafts(2, 'early', 'late'));
  await eventually(() => expect(reader.events).toMatchObject([{ data: { total: 2, done: 1 } }]));
  reader.close();
  await eventually(() => expect(logged.at(-1)).toMatchObject({ status: 200, aborted: true }));
  expect(audited).toEqual([]);
  released.resolve();
  await eventually(() =>
    expect(audited).toMatchObject([{ outcome: 'succeeded', status: 200, aborted: true }]),
  );
  lift();
  const { body } = await acme.get('/resources/box:crate:late');
  expect(body).toMatchObject({ config: { size: 2 } });
  expect((await acme.get('/sets/unread')).body).toMatchObject({ complete: true });
});
