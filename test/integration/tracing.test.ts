// One trace from the request of a client to the handler of a provider, at a real receiver of OTLP.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { provider, type ServedProvider, serve, z } from '../../src/sdk/index.ts';
import { apiVersion, kinds } from '../../src/store/kinds.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedControlPlane } from '../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../support/servers/served-api.ts';

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number };
  }[];
}

interface Traces {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const received: Traces[] = [];
const collector = createServer(async (req, res) => {
  if (req.url === '/v1/traces') received.push((await json(req)) as Traces);
  res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
let api: ServedApi;
let admin: ApiCaller;
let served: ServedProvider;
const seen: (string | null)[] = [];
const logged: unknown[] = [];
/** The access log. */
const answered: unknown[] = [];

const code = provider('traced');
const crate = code.resource('crate', {
  description: 'A crate',
  config: z.object({ password: z.string() }),
  outputs: z.object({}),
  create({ traceparent, log }) {
    seen.push(traceparent);
    log.info('made');
    return {};
  },
  update: () => ({}),
  delete: () => undefined,
});

beforeAll(async () => {
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  const log: Log = { ...silentLog, info: (fields) => void answered.push(fields) };
  api = await serveApi({ log, tracing: { ratio: 1, url: `http://127.0.0.1:${port}/v1/traces` } });
  admin = await api.caller('traced');
  const info = (_message: string, fields?: object) => void logged.push(fields);
  served = await serve(code.types(crate), {
    fairlead: `http://127.0.0.1:${api.port}`,
    port: 0,
    log: { debug() {}, info, warn() {}, error() {} },
  });
  await admin.post('/resources/register', { provider: 'traced', resource: 'crate' });
  const { namespace } = (await admin.get('/auth/me')).body as { namespace: string };
  const client = createKubeClient(loadCluster({ kubeconfig: sharedControlPlane().kubeconfig }));
  await client.create(kinds.provider, {
    apiVersion,
    kind: 'Provider',
    metadata: { name: 'traced', namespace },
    spec: { provider: 'traced', endpoint: served.url },
  } as never);
  await client.close();
});

afterAll(async () => {
  await served?.close();
  collector.closeAllConnections();
  collector.close();
});

function spansOf(traceId: string): readonly OtlpSpan[] {
  return received
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .filter((span) => span.traceId === traceId);
}

function attributesOf({ attributes }: OtlpSpan): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );
}

it('continues the trace of a request through apply, claim and delivery to the handler', async () => {
  const [traceId, client] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const crateOf = { provider: 'traced', resource: 'crate', name: 'one' };
  const applied = await admin.send('POST', '/resources/apply', {
    headers: { traceparent: `00-${traceId}-${client}-01` },
    body: { ...crateOf, config: { password: 'hunter2hunter2' }, lifecycle_state: 'pending' },
  });
  expect(applied.status, applied.text).toBe(200);
  await eventually(async () => {
    const { body } = await admin.get('/resources/traced/crate/one');
    expect(body).toMatchObject({ lifecycle_state: 'ready' });
  });
  // Its end sends the spans that are left.
  await api.close();
  const spans = spansOf(traceId);
  const named = (name: string) => spans.find((span) => span.name === name);
  const request = named('POST /resources/apply');
  const apply = named('apply');
  const claim = named('claim');
  const delivery = named('POST');
  expect(request).toMatchObject({ kind: 2, parentSpanId: client });
  expect(apply).toMatchObject({ kind: 1, parentSpanId: request?.spanId });
  expect(claim).toMatchObject({ kind: 1, parentSpanId: apply?.spanId });
  expect(delivery).toMatchObject({ kind: 3, parentSpanId: apply?.spanId });
  expect(spans).toHaveLength(4);
  expect(request && attributesOf(request)).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/resources/apply',
    'http.response.status_code': 200,
  });
  expect(delivery && attributesOf(delivery)).toMatchObject({
    'cloudevents.event_type': 'dev.fairlead.resource.create',
    'cloudevents.event_subject': 'traced/crate/one',
    'fairlead.attempt': 1,
    'server.address': '127.0.0.1',
    'server.port': served.port,
  });
  expect(seen).toEqual([`00-${traceId}-${delivery?.spanId}-01`]);
  expect(logged).toMatchObject([{ trace_id: traceId, attempt: 1 }]);
  expect(answered).toContainEqual(
    expect.objectContaining({ route: '/resources/apply', trace_id: traceId }),
  );
  expect(JSON.stringify(received)).not.toMatch(/hunter2|Bearer|eyJ/);
});
