// Limits over HTTP, against a real API server: whose they are, what answers say of them, and what is free.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;

beforeAll(async () => {
  // So slow that nothing comes back while a test runs.
  api = await serveApi({ rates: { perSecond: 0.05, burst: 30, pushesPerMinute: 2 } });
});

afterAll(() => api?.close());

const refused = { status: 429, body: { code: 'too_many_requests', detail: expect.any(String) } };

async function exhaust(caller: ApiCaller): Promise<void> {
  const asked = Array.from({ length: 60 }, () => caller.get('/projects/none'));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(29);
  expect(new Set(statuses)).toEqual(new Set([404, 429]));
}

describe('an organization', () => {
  it('[H15] gets its limit in every response, and is rejected beyond it', async () => {
    const caller = await api.caller('eager');
    const first = await caller.get('/auth/me');
    expect(first.headers['ratelimit-policy']).toBe('"default";q=30;w=600');
    expect(first.headers['ratelimit']).toBe('"default";r=29;t=20');
    await exhaust(caller);
    const answer = await caller.get('/auth/me');
    expect(answer).toMatchObject(refused);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(10);
    expect(answer.headers['ratelimit']).toMatch(/^"default";r=0;t=\d+$/);
    expect(answer.headers['ratelimit-policy']).toBe('"default";q=30;w=600');
  });

  it('[H15] cannot avoid its limit with headers', async () => {
    const caller = await api.caller('forger');
    await exhaust(caller);
    for (const [name, value] of [
      ['x-forwarded-for', '10.1.2.3'],
      ['forwarded', 'for=10.1.2.3'],
      ['x-organization-id', 'other'],
      ['x-org-id', 'other'],
      ['x-real-ip', '10.1.2.3'],
    ] as const) {
      expect(await caller.send('GET', '/auth/me', { headers: { [name]: value } })).toMatchObject(
        refused,
      );
    }
    const otherSubject = await api.caller('forger', { sub: 'grace', roles: ['viewer'] });
    expect(await otherSubject.get('/auth/me')).toMatchObject(refused);
  });

  it.each([
    ['announces its length', {}],
    ['only ends', { 'transfer-encoding': 'chunked' }],
  ])('[I7] is charged several requests for a long body that %s', async (how, headers) => {
    const caller = await api.caller(`wordy-${how.length}`);
    const sent = { headers, body: { odd: 'x'.repeat(200_000) } };
    const first = await caller.send('POST', '/resources/apply', sent);
    expect(first).toMatchObject({ status: 422, headers: { ratelimit: '"default";r=26;t=80' } });
    // The time that the server needs for each is charged, too.
    const statuses: number[] = [];
    for (let count = 1; count < 8; count += 1) {
      statuses.push((await caller.send('POST', '/resources/apply', sent)).status);
    }
    expect(statuses.at(-1)).toBe(429);
  });

  it('is charged one request for a short body without a length', async () => {
    const caller = await api.caller('terse');
    const sent = { headers: { 'transfer-encoding': 'chunked' }, body: { odd: 1 } };
    const answer = await caller.send('POST', '/resources/apply', sent);
    expect(answer).toMatchObject({ status: 422, headers: { ratelimit: '"default";r=29;t=20' } });
  });

  it('[H15] does not use the budget of others', async () => {
    await exhaust(await api.caller('greedy'));
    const { status, headers } = await (await api.caller('modest')).get('/auth/me');
    expect(status).toBe(200);
    expect(headers['ratelimit']).toBe('"default";r=29;t=20');
  });

  it('is rejected before its body is read', async () => {
    const caller = await api.caller('verbose');
    await exhaust(caller);
    const headers = { 'content-type': 'application/json', 'content-length': '1000000' };
    const answer = await caller.send('POST', '/resources/apply', { headers, endless: true });
    expect(answer).toMatchObject(refused);
  });

  it('has a separate limit of pushes, including rejected ones', async () => {
    const caller = await api.caller('pushing');
    await exhaust(caller);
    const push = () => caller.send('POST', '/providers/box/push', { body: 'not a form' });
    const statuses = [(await push()).status, (await push()).status];
    expect(statuses).toEqual([415, 415]);
    const third = await push();
    expect(third).toMatchObject(refused);
    expect(third.headers['ratelimit-policy']).toBe('"push";q=2;w=60');
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(20);
  });

  it('[H16] is not charged for requests without a valid token', async () => {
    const caller = await api.caller('careful');
    const bad = { headers: { authorization: 'Bearer nonsense' } };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => caller.send('GET', '/auth/me', bad)),
    );
    for (const { status, headers } of answers) {
      expect(status).toBe(401);
      expect(headers['ratelimit']).toBeUndefined();
    }
    expect((await caller.get('/auth/me')).headers['ratelimit']).toBe('"default";r=29;t=20');
  });
});

it.each(['/health', '/livez', '/readyz', '/openapi.json', '/docs'])(
  '%s is not limited',
  async (path) => {
    const caller = await api.caller('eager');
    for (const each of [api.stranger, caller]) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => each.get(path)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(answers[0]?.headers['ratelimit']).toBeUndefined();
    }
  },
);
