// Two organizations on one installation. The first contains canary secrets; no answer to the second, no log line and no metric
// contains one of them. Objects of the first are answered to the second like missing objects.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import type { Log, LogFields } from '../../../src/lib/log.ts';
import { apiVersion, configMapKind, kinds } from '../../../src/store/kinds.ts';
import {
  type DescribedApi,
  type DescribedOperation,
  describedApi,
} from '../../support/fixtures/api/described-api.ts';
import { push, pushed } from '../../support/fixtures/code/provider-code.ts';
import {
  answer,
  type RecordingProvider,
  recordingProvider,
} from '../../support/fixtures/receipts.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import {
  type Answer,
  type ApiCaller,
  type ServedApi,
  serveApi,
  textOf,
} from '../../support/servers/served-api.ts';

const canary = (what: string) => `canary-${what}-${randomUUID().slice(0, 8)}`;
/** Values that only the owner may read. */
const values = {
  config: canary('config'),
  tag: canary('tag'),
  output: canary('output'),
  error: canary('error'),
  description: canary('description'),
  constant: canary('constant'),
  project: canary('project'),
};
/** Values that are not shown outside the config, even to the owner. */
const secret = canary('secret');
/** Operators need them in logs; other organizations cannot read them. */
const names = {
  ready: canary('ready'),
  failed: canary('failed'),
  type: 'canary_type',
  scope: '@canary-scope',
  set: canary('set'),
};

const owner = `owner-${randomUUID().slice(0, 8)}`;
const logged: string[] = [];
const client = createKubeClient(loadCluster(sharedControlPlane()));
let api: ServedApi;
let provider: RecordingProvider;
let a: ApiCaller;
let b: ApiCaller;
let described: DescribedApi;
/** Objects of the first organization, by parameter. */
let ids: Record<string, string>;

const log: Log = {
  debug: note,
  info: note,
  warn: note,
  error: note,
  child: (fields) => {
    note(fields, '');
    return log;
  },
};

function note(fields: LogFields, message: string): void {
  logged.push(JSON.stringify([fields, message], loggable));
}

/** The text of an Error is in fields that JSON omits. */
function loggable(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { message, stack, cause } = value;
  return { ...Object.fromEntries(Object.entries(value)), message, stack, cause };
}

beforeAll(async () => {
  api = await serveApi({ log });
  provider = await recordingProvider(({ body }, response) => {
    if (body.name === names.ready)
      return answer(response, 200, { outputs: { key: values.output } });
    const message = `${values.error}: not with the password ${secret}`;
    answer(response, 400, { error: { code: 'NO', message } });
  });
  a = await api.caller(owner);
  b = await api.caller(`rival-${randomUUID().slice(0, 8)}`);
  described = await describedApi(api.stranger);
  const { namespace } = organizationOf(api.issuer.url, owner);
  await a.get('/projects');
  await client.create(kinds.provider, {
    apiVersion,
    kind: kinds.provider.kind,
    metadata: { name: 'vault', namespace },
    spec: { provider: 'vault', endpoint: provider.url },
  } as never);
  ids = await plant();
});

afterAll(async () => {
  await api?.close();
  await provider?.close();
  await client.close();
});

async function plant(): Promise<Record<string, string>> {
  const resource = names.type;
  const schema = {
    type: 'object',
    description: values.description,
    properties: {
      password: { type: 'string', writeOnly: true, format: 'password' },
      fixed: { const: values.constant },
    },
  };
  const type = { provider: 'vault', resource, schema, tags: [values.tag] };
  expect((await a.post('/resources/register', type)).status).toBe(200);
  const project = await a.post('/projects', { name: values.project });
  expect(project.status, project.text).toBeLessThan(300);
  const config = { password: secret, note: values.config };
  for (const name of [names.ready, names.failed]) {
    const applied = { provider: 'vault', resource, name, config, tags: [values.tag] };
    const committed = { ...applied, lifecycle_state: 'pending' };
    expect((await a.post('/resources/apply', committed)).status).toBe(200);
  }
  const draft = { provider: 'vault', resource, name: names.ready, lifecycle_state: 'pending' };
  const set = await a.send('PUT', `/sets/${names.set}`, {
    body: { resources: [{ ...draft, config, tags: [values.tag] }] },
  });
  expect(set.status, set.text).toBe(200);
  const registry = { url: 'https://npm.example.com/', token: secret };
  expect((await a.send('PUT', `/registries/${names.scope}`, { body: registry })).status).toBe(200);
  const build = pushed(await push(a, 'vault'));
  const event_id = await eventually(async () => {
    const ready = await a.get(`/resources/vault/${resource}/${names.ready}`);
    expect(ready.body).toMatchObject({ lifecycle_state: 'ready' });
    const deadLetters = (await a.get('/ops/dead-letter')).body as readonly { event_id: string }[];
    expect(deadLetters).toHaveLength(1);
    return deadLetters[0]?.event_id ?? '';
  }, 20_000);
  return {
    provider: 'vault',
    resource,
    name: names.ready,
    resource_id: `vault:${resource}:${names.ready}`,
    project_id: (project.body as { project_id: string }).project_id,
    job_name: build.job_name,
    event_id,
    id: 'receipt-none',
    setting: 'token',
    revision: '1',
    scope: names.scope,
    set: names.set,
  };
}

/** As long as existing ones, so that lengths can be compared. */
const missing: Readonly<Record<string, (id: string) => string>> = {
  provider: () => 'voult',
  resource: () => 'canary_typo',
  name: turned,
  resource_id: turned,
  project_id: turned,
  job_name: (id) => id.replace(/\d{4}$/, '0000'),
  event_id: turned,
  id: turned,
  setting: () => 'tokel',
  revision: () => '2',
  scope: () => '@canary-typos',
  set: turned,
};

/** A different value of the same form. */
function turned(id: string): string {
  const last = id.at(-1) === '0' ? '1' : '0';
  return `${id.slice(0, -1)}${last}`;
}

const isPath = ({ in: place }: { in: string }) => place === 'path';

function pathWith({ path }: DescribedOperation, given: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(given[name] ?? 'x'));
}

const canaries = [...Object.values({ ...values, ...names }), secret];
const canariesIn = (text: string) => canaries.filter((each) => text.includes(each));

function expectNone(text: string, where: string, but: readonly string[] = []): void {
  const found = canariesIn(text).filter((each) => !but.includes(each));
  expect(found, where).toEqual([]);
}

describe('secrets of one organization', () => {
  it('[I6] are visible to the owner', async () => {
    const all = JSON.stringify([
      (await a.get('/resources/')).body,
      (await a.get('/resources/types')).body,
      (await a.get('/projects')).body,
      (await a.get('/ops/dead-letter')).body,
      (await a.get('/registries/')).body,
    ]);
    for (const each of Object.values({ ...values, ...names })) expect(all).toContain(each);
  });

  it('[I6] are in no response to another organization', async () => {
    for (const operation of described.operations.filter(({ method }) => method === 'GET')) {
      const asked = pathWith(operation, ids);
      const { headers, text } = await b.get(asked);
      // An answer may repeat the request.
      expectNone(`${JSON.stringify(headers)}${text}`, `GET ${asked}`, canariesIn(asked));
    }
    const queries = ['provider=vault', `resource=${names.type}`, 'limit=1000', 'group_by=error'];
    for (const path of ['/resources/', '/ops/dead-letter']) {
      for (const query of queries) {
        // A rejection repeats the rejected parameter.
        expectNone((await b.get(`${path}?${query}`)).text, query, canariesIn(query));
      }
    }
    expect((await b.get(`/resources/?tags=${values.tag}`)).body).toEqual([]);
    expect((await b.get(`/resources/?project_id=${ids['project_id']}`)).body).toEqual([]);
  });

  it('[I6] are in no error of another organization that uses the same names', async () => {
    const { provider: of = '', resource = '', name = '', project_id } = ids;
    const tuple = { provider: of, resource, name };
    const sent: [string, object][] = [
      ['/resources/apply', { ...tuple, config: { fixed: 'x' }, lifecycle_state: 'pending' }],
      ['/resources/apply', { ...tuple, config: {}, project_id }],
      [
        '/resources/apply',
        { ...tuple, name: 'uses', config: { a: `\${${of}/${resource}/${name}.outputs.key}` } },
      ],
      ['/resources/apply', { ...tuple, name: 'needs', config: {}, dependencies: [tuple] }],
      [`/providers/${of}/deploy`, {}],
      [`/providers/${of}/rollback`, {}],
      [`/ops/dead-letter/${ids['event_id']}/retry`, {}],
      ['/ops/dead-letter/retry-all', {}],
    ];
    for (const [path, body] of sent) {
      expectNone((await b.post(path, body)).text, path, canariesIn(JSON.stringify(body)));
    }
    expectNone((await b.get('/resources/')).text, 'its own list', [names.type, names.ready]);
  });

  it('[I6] are in no metric', async () => {
    const text = await (await fetch(`http://127.0.0.1:${api.metricsPort}/metrics`)).text();
    expect(text).toContain('fairlead_');
    expectNone(text, '/metrics');
  });

  it('[I6] are in no line of the log, at any level', () => {
    expect(logged.length).toBeGreaterThan(20);
    // Logs contain names of resources for operators.
    expectNone(logged.join('\n'), 'the log', Object.values(names));
  });

  it('[I6] that are marked as secret are in no dead letter, Event or condition', async () => {
    const { namespace } = organizationOf(api.issuer.url, owner);
    const deadLetters = await client.list(configMapKind, { namespace });
    expect(JSON.stringify(deadLetters)).toContain(values.error);
    expect(JSON.stringify(deadLetters)).not.toContain(secret);
    const eventKind = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event' };
    const events = await client.list({ ...eventKind, namespaced: true } as never, { namespace });
    expect(JSON.stringify(events)).not.toContain(secret);
    const resources = await client.list<Resource>(kinds.resource, { namespace });
    for (const each of resources.items) {
      // The provider receives the previous config, so that is kept.
      const { appliedConfig: _kept, ...shown } = each.status ?? {};
      expect(JSON.stringify(shown)).not.toContain(secret);
    }
    expect((await a.get('/ops/dead-letter')).text).not.toContain(secret);
  });
});

describe('an object of another organization', () => {
  const volatile = ['date', 'x-request-id', 'ratelimit', 'ratelimit-policy'];

  function comparable({ status, headers, text }: Answer, id: string, other: string): object {
    const kept = Object.entries(headers).filter(([name]) => !volatile.includes(name));
    // The digest of a plan covers the name.
    const neutral = (some: string) =>
      some
        .replaceAll(id, '*')
        .replaceAll(other, '*')
        .replace(/"plan":"[\w-]{22}"/, '"plan":"*"');
    return { status, headers: Object.fromEntries(kept), text: neutral(neutral(text)) };
  }

  it('[H17] gets, on read and delete, the same bytes as a missing object', async () => {
    const byId = described.operations.filter(
      ({ method, parameters }) => ['GET', 'DELETE'].includes(method) && parameters.some(isPath),
    );
    expect(byId.length).toBeGreaterThan(10);
    for (const operation of byId) {
      const last = operation.parameters.filter(isPath).at(-1)?.name ?? '';
      const id = ids[last] ?? '';
      const other = missing[last]?.(id) ?? '';
      // What becomes of the members is required.
      const query = operation.id === 'deleteSet' ? '?resources=leave' : '';
      const path = (of: Readonly<Record<string, string>>) => `${pathWith(operation, of)}${query}`;
      const theirs = await b.send(operation.method, path(ids));
      const none = await b.send(operation.method, path({ ...ids, [last]: other }));
      const slash = (some: string) => some.replaceAll(':', '/');
      const [one, two] = [theirs, none].map((each) =>
        comparable(
          { ...each, text: textOf(each).replaceAll(slash(id), id).replaceAll(slash(other), other) },
          id,
          other,
        ),
      );
      expect(one, `${operation.method} ${operation.path}`).toEqual(two);
      expect(theirs.status, theirs.text).toBeOneOf([200, 204, 404]);
    }
  });

  it('[H17] is unchanged afterwards', async () => {
    expect((await a.get(`/resources/${ids['resource_id']}`)).status).toBe(200);
    expect((await a.get(`/ops/dead-letter/${ids['event_id']}`)).status).toBe(200);
    expect((await a.get(`/projects/${ids['project_id']}`)).status).toBe(200);
    expect((await a.get('/registries/')).text).toContain(names.scope);
    expect((await a.get(`/providers/vault/builds/${ids['job_name']}`)).status).toBe(200);
    expect((await a.get('/resources/types')).text).toContain(values.constant);
  });
});
