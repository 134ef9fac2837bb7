// Every route of the document: invalid names reach no Kubernetes call, and an internal error affects one request only. The stores
// are the real ones, with a client that records its calls and has no objects.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Listening } from '../../../src/http/listen.ts';
import { type Log, silentLog } from '../../../src/lib/log.ts';
import { type DescribedOperation, describedApi } from '../../support/fixtures/api/described-api.ts';
import {
  ask,
  bodies,
  failingInsteadOf,
  organization,
  pathOf,
  sentTo,
  serveRoutes,
  storesOfNothing,
} from '../../support/fixtures/api/every-route.ts';

/** The calls of the client: the method and its arguments. */
let asked: string[] = [];
let errors = 0;
let listening: Listening;
let broken: Listening;
let operations: readonly DescribedOperation[];

const log: Log = {
  ...silentLog,
  error() {
    errors += 1;
  },
  child: () => log,
};

beforeAll(async () => {
  const nothing = storesOfNothing((call) => asked.push(call), log);
  listening = await serveRoutes(nothing, { log });
  broken = await serveRoutes(failingInsteadOf(nothing), { log });
  operations = (await describedApi({ get: (path) => ask(listening, 'GET', path) })).operations;
});

beforeEach(() => {
  asked = [];
  errors = 0;
});

afterAll(async () => {
  await listening?.close(0);
  await broken?.close(0);
});

const badNames: readonly string[] = [
  '.',
  '..',
  '%2e',
  '%2e%2e%2f',
  '../../../namespaces/kube-system/secrets#',
  'a/b',
  'a\\b',
  'n'.repeat(300),
  'a\u0000',
  '\u0000',
  'a\n',
  '\r\n',
  '#',
  '?',
  'a?b',
  'a b',
  ' ',
  '日本',
  'é',
  'a\u202eb',
  '-a',
  '*',
  '$',
  "';--",
];

describe.each(badNames)('the name %j', (bad) => {
  it('[H01] in any path is rejected before any Kubernetes request', async () => {
    for (const operation of operations) {
      const inPath = operation.parameters.filter((each) => each.in === 'path');
      for (const { name } of inPath) {
        const path = pathOf(operation, { [name]: encodeURIComponent(bad) });
        const answer = await ask(listening, operation.method, path, sentTo(operation));
        const what = `${operation.method} ${path}: ${answer.text}`;
        // Projects are called what people like: their objects are named after a hash.
        if (name === 'project_id' && bad.length <= 63) expectHashed(what);
        else {
          expect(refusals(operation), what).toContain(answer.status);
          expect(asked, what).toEqual([]);
        }
        asked = [];
      }
    }
  });

  it('[H01] in any body is rejected before any Kubernetes request', async () => {
    const { applyResource: apply = {}, registerType: register = {} } = bodies;
    const tuple = { provider: 'box', resource: 'crate', name: 'a' };
    const wrong: [string, object][] = [
      ...['provider', 'resource', 'name'].flatMap((field): [string, object][] => [
        ['/resources/apply', { ...apply, [field]: bad }],
        ['/resources/apply', { ...apply, dependencies: [{ ...tuple, [field]: bad }] }],
      ]),
      ['/resources/register', { ...register, provider: bad }],
      ['/resources/register', { ...register, resource: bad }],
      ['/providers/box/deploy', { version: bad }],
    ];
    for (const [path, body] of wrong) {
      const answer = await ask(listening, 'POST', path, { body });
      expect(answer.status, `${path} ${JSON.stringify(body)}`).toBe(422);
      expect(asked).toEqual([]);
    }
  });
});

/** Payloads that cannot be an event were rejected before. */
function refusals({ id }: DescribedOperation): readonly number[] {
  return id === 'deleteDeadLetter' ? [204, 404, 422] : [404, 422];
}

function expectHashed(what: string): void {
  for (const each of asked) expect(each, what).not.toMatch(/\.\.|%2e|[\\#?*$']|\s/);
}

it('[H01] distinguishes names that differ in case', async () => {
  expect((await ask(listening, 'GET', '/providers/Box/builds')).status).toBe(422);
  await ask(listening, 'GET', '/resources/box/crate/Foo');
  await ask(listening, 'GET', '/resources/box/crate/foo');
  expect(new Set(asked).size).toBe(2);
});

it('[H04] reads no log for an invalid build', async () => {
  for (const name of ['../../../namespaces/kube-system/secrets#', 'kube-apiserver', 'box', '.']) {
    const path = `/providers/box/builds/${encodeURIComponent(name)}/logs`;
    expect((await ask(listening, 'GET', path)).status).toBe(404);
  }
  // A name that a build could have is looked up, among the builds of the caller.
  expect(asked).toHaveLength(2);
  for (const each of asked) expect(each).toContain(`get:{"namespace":"${organization.namespace}"`);
});

describe('a failure inside', () => {
  it('[H26] of any handler is a 500 for that request, logged once, without details', async () => {
    for (const operation of operations.filter(({ needsToken }) => needsToken)) {
      errors = 0;
      const answer = await ask(broken, operation.method, pathOf(operation), sentTo(operation));
      const what = `${operation.id}: ${answer.text}`;
      if (operation.id === 'getMe') continue;
      if (operation.id === 'deleteDeadLetters') {
        expect(answer.status, what).toBe(422);
        continue;
      }
      expect(answer, what).toMatchObject({
        status: 500,
        text: '{"detail":"Internal Server Error"}',
      });
      expect(errors, what).toBe(1);
    }
    expect((await ask(broken, 'GET', '/livez')).status).toBe(200);
  });

  it('[H26] of many requests at once does not affect the others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        ask(broken, 'GET', n % 2 === 0 ? '/livez' : '/projects'),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
    expect(answers.filter(({ status }) => status === 500)).toHaveLength(100);
  });
});

it('[H12] accepts each parameter once, in its canonical form, on every route', async () => {
  for (const operation of operations) {
    const inQuery = operation.parameters.filter((each) => each.in === 'query');
    for (const { name, schema } of inQuery) {
      const wrong = [`${name}[]=a`, `${name}[a][b]=c`, `${name}=%ff`];
      if (schema['type'] !== 'array') wrong.push(`${name}=true&${name}=true`);
      for (const search of wrong) {
        const path = `${pathOf(operation)}?${search}`;
        const answer = await ask(listening, operation.method, path, sentTo(operation));
        expect(answer.status, `${operation.method} ${path}`).toBe(422);
      }
    }
  }
  const many = 'tags=a&'.repeat(1_000);
  expect((await ask(listening, 'GET', `/resources/?${many}`)).status).toBe(422);
  expect(asked).toEqual([]);
});

it('rejects an unknown parameter on every route', async () => {
  for (const operation of operations) {
    const path = `${pathOf(operation)}?provder=a`;
    const answer = await ask(listening, operation.method, path, sentTo(operation));
    expect(answer, `${operation.method} ${path}`).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'provder'], type: 'extra_forbidden', input: 'a' }] },
    });
  }
  const all = await ask(listening, 'POST', '/ops/dead-letter/retry-all?provder=box');
  expect(all.text).toContain('did you mean provider?');
  expect(asked).toEqual([]);
});
