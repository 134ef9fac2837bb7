// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
// Dependencies of resources, over HTTP against a real API server. Without a provider, committed resources stay pending.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  type Answer,
  type ApiCaller,
  type ServedApi,
  serveApi,
} from '../../support/servers/served-api.ts';

let api: ServedApi;
let acme: ApiCaller;

const schema = {
  type: 'object',
  properties: {
    port: { type: 'integer' },
    url: { type: 'string', maxLength: 29 },
    form: { oneOf: [{ properties: { size: { type: 'integer' } } }, { required: ['other'] }] },
  },
};

beforeAll(async () => {
  api = await serveApi();
  acme = await api.caller('dependencies');
  await acme.post('/resources/register', { provider: 'box', resource: 'any' });
  await acme.post('/resources/register', { provider: 'box', resource: 'strict', schema });
});

afterAll(() => api?.close());

const tuple = (name: string) => ({ provider: 'box', resource: 'any', name });
const on = (...names: string[]) => ({ dependencies: names.map(tuple) });
const referring = (...names: string[]) => ({
  config: { to: names.map((each) => `x \${box/any/${each}.outputs.url}`) },
});
const apply = (name: string, more: object = {}) =>
  acme.post('/resources/apply', {
    ...tuple(name),
    config: {},
    lifecycle_state: 'pending',
    ...more,
  });
const draft = (name: string, more: object = {}) =>
  apply(name, { lifecycle_state: 'draft', ...more });

function violation(answer: Answer): unknown {
  expect(answer.status, answer.text).toBe(422);
  const { detail } = answer.body as { detail: readonly unknown[] };
  return detail[0];
}

describe('a cycle', () => {
  it('is rejected directly after the rest of it was applied', async () => {
    await apply('a', on('b'));
    await apply('b', on('c'));
    expect(violation(await apply('c', on('other', 'a')))).toEqual({
      loc: ['body', 'dependencies', 1],
      type: 'value_error',
      msg: 'The dependencies form a cycle: box/any/c → box/any/a → box/any/b → box/any/c',
      input: tuple('a'),
    });
    expect((await apply('c', on('other'))).status).toBe(200);
  });

  it('is rejected at the reference that closes it', async () => {
    await apply('r1', referring('r2'));
    expect(violation(await apply('r2', referring('other', 'r1')))).toMatchObject({
      loc: ['body', 'config', 'to', 1],
      msg: 'The dependencies form a cycle: box/any/r2 → box/any/r1 → box/any/r2',
    });
  });

  it('includes a resource that refers to itself', async () => {
    expect(violation(await apply('self', referring('self')))).toMatchObject({
      loc: ['body', 'config', 'to', 0],
      msg: 'The dependencies form a cycle: box/any/self → box/any/self',
    });
  });

  it('may be drafted, and is rejected when committed', async () => {
    await apply('d1', on('d2'));
    expect((await draft('d2', on('d1'))).status).toBe(200);
    expect(violation(await apply('d2', on('d1')))).toMatchObject({
      msg: 'The dependencies form a cycle: box/any/d2 → box/any/d1 → box/any/d2',
    });
  });

  it('ends when a draft removes its reference', async () => {
    await draft('e1', on('e2'));
    expect((await apply('e2', on('e1'))).status).toBe(422);
    await draft('e1', { dependencies: [] });
    expect((await apply('e2', on('e1'))).status).toBe(200);
  });
});

it('rejects more than 64 dependencies, from any source', async () => {
  const names = Array.from({ length: 64 }, (_, at) => `n${at}`);
  expect((await apply('many', referring(...names))).status).toBe(200);
  const answer = await apply('most', { ...referring(...names), ...on('n0', 'one-more') });
  expect(violation(answer)).toMatchObject({
    loc: ['body', 'config'],
    msg: 'A resource can have at most 64 dependencies, declared or by reference; this one has 65',
  });
});

describe('a reference', () => {
  const strict = (name: string, config: object) =>
    acme.post('/resources/apply', {
      ...tuple(name),
      resource: 'strict',
      config,
      lifecycle_state: 'pending',
    });
  const reference = '${box/any/db.outputs.port}';

  it('may replace a value of another type, and the rest is validated', async () => {
    expect((await strict('ok', { port: reference, form: { size: reference } })).status).toBe(200);
    expect(violation(await strict('bad', { port: reference, url: 1 }))).toMatchObject({
      loc: ['body', 'config', 'url'],
    });
  });

  it('is returned as written', async () => {
    const { body } = await strict('shown', { port: reference });
    expect(body).toMatchObject({ config: { port: reference }, dependencies: [] });
  });

  it('with invalid syntax is validated as plain text', async () => {
    expect(violation(await strict('text', { port: '${HOME}' }))).toMatchObject({
      loc: ['body', 'config', 'port'],
    });
    expect((await strict('escaped', { url: '$${box/any/orders.outputs.url}' })).status).toBe(200);
  });
});

describe('what an apply uses', () => {
  const outputsSchema = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      port: { type: 'integer' },
      auth: { type: 'object', properties: { user: {} }, additionalProperties: false },
    },
    additionalProperties: false,
  };
  const net = { provider: 'net', resource: 'network' };
  const uses = (name: string, more: object) => apply(name, { resource: 'strict', ...more });
  const config = (output: string) => ({
    config: { port: `\${net/network/main.outputs.${output}}` },
  });

  beforeAll(async () => {
    await acme.post('/resources/register', { ...net, outputs_schema: outputsSchema });
  });

  it('is told what an open schema of outputs permits, at its registration and at an apply', async () => {
    const { additionalProperties: _closed, ...open } = outputsSchema;
    const body = { ...net, resource: 'open', outputs_schema: open };
    const told =
      /^299 - "The outputs_schema of net\/open permits members that it does not describe/;
    for (const query of ['?dry_run=true', '']) {
      const registered = await acme.post(`/resources/register${query}`, body);
      expect(registered.headers).toMatchObject({ warning: expect.stringMatching(told) });
    }
    const more = { config: { url: '${net/open/main.outputs.prot}' } };
    const warned = await uses('doubtful', more);
    expect(warned).toMatchObject({
      status: 200,
      headers: {
        warning: '299 - "config.url: net/open describes no output \\"prot\\"; did you mean port?"',
      },
    });
    const right = { config: { url: '${net/open/main.outputs.port}' } };
    expect((await uses('certain', right)).headers).not.toHaveProperty('warning');
  });

  it('has types that exist: the violation names the nearest one', async () => {
    const reference = '${net/netwrok/main.outputs.id}';
    const more = {
      config: { url: `x-${reference}` },
      dependencies: [
        { ...net, name: 'main' },
        { ...net, resource: 'firewall', name: 'f' },
      ],
    };
    for (const query of ['', '?dry_run=true']) {
      const body = { ...tuple('typo'), resource: 'strict', lifecycle_state: 'pending', ...more };
      const answer = await acme.post(`/resources/apply${query}`, body);
      expect(answer).toMatchObject({ status: 422, body: { code: 'unknown_type' } });
      expect((answer.body as { detail: unknown }).detail).toEqual([
        {
          ...{ loc: ['body', 'dependencies', 1], type: 'unknown_type' },
          msg: 'Type net/firewall is not registered; deploy a provider that has it first',
          input: 'net/firewall/f',
        },
        {
          ...{ loc: ['body', 'config', 'url'], type: 'unknown_type', input: 'net/netwrok/main' },
          msg: 'Type net/netwrok is not registered; did you mean net/network?',
        },
      ]);
    }
    expect((await draft('typo', { resource: 'strict', ...more })).status).toBe(200);
  });

  it('has outputs that there can be, of a type that the field takes', async () => {
    expect(violation(await uses('idd', config('idd')))).toEqual({
      loc: ['body', 'config', 'port'],
      type: 'value_error',
      msg: 'net/network has no output "idd"; did you mean id?',
      input: config('idd').config.port,
    });
    expect(violation(await uses('text', config('id')))).toMatchObject({
      msg: 'The output "id" of net/network is string, and this field takes integer; refer to an output of that type',
    });
    const whole = { config: { url: 'x-${net/network/main.outputs.auth}' } };
    expect(violation(await uses('whole', whole))).toMatchObject({
      loc: ['body', 'config', 'url'],
      msg: expect.stringContaining('"auth" of net/network is object and cannot be inserted'),
    });
    expect((await uses('fits', config('port'))).status).toBe(200);
  });

  it('is refused where it only looks like one, with the right spelling', async () => {
    const of = (value: string) => ({ config: { port: 1, url: value } });
    const near = '${ net/network/main.id }';
    for (const query of ['', '?dry_run=true']) {
      const body = { ...tuple('near'), resource: 'strict', lifecycle_state: 'pending' };
      const answer = await acme.post(`/resources/apply${query}`, { ...body, ...of(`x-${near}`) });
      expect(violation(answer)).toEqual({
        ...{ loc: ['body', 'config', 'url'], type: 'value_error', input: near },
        msg: `${near} is not a reference; write \${net/network/main.outputs.id}, or $${near} for the text as it is`,
      });
    }
    expect((await uses('near', of(`x-$${near}`))).status).toBe(200);
    expect((await uses('other', of('${ net/other/main.id }'))).status).toBe(200);
  });

  it('may be an output of before, while that is stored', async () => {
    const objects = resourceObjects(api, 'dependencies');
    try {
      await apply('main', net);
      await objects.says('net/network/main', { outputs: { former: 7 }, appliedConfig: {} });
      await eventually(async () => {
        expect((await uses('older', config('former'))).status).toBe(200);
      });
    } finally {
      await objects.close();
    }
  });

  it('is explained without names to tokens of one project', async () => {
    await acme.post('/projects', { project_id: 'shop', name: 'Shop' });
    const confined = await api.caller('dependencies', { project_id: 'shop' });
    const body = { ...tuple('confined'), lifecycle_state: 'pending', config: {} };
    const answer = await confined.post('/resources/apply', {
      ...body,
      config: { a: '${net/netwrok/main.outputs.id}' },
    });
    expect(violation(answer)).toMatchObject({
      msg: 'Type net/netwrok is not registered; deploy a provider that has it first',
    });
  });
});
