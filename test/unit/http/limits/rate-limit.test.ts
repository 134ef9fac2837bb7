import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairleadError } from '../../../../src/domain/errors.ts';
import { organizationOf } from '../../../../src/domain/identity.ts';
import {
  createRateLimiter,
  createTokenBucket,
  type Quota,
  type RateSettings,
} from '../../../../src/http/limits/rate-limit.ts';
import { manualTime } from '../../../support/runner/manual-time.ts';

const acme = organizationOf('https://issuer.test', 'acme');
const rates = { perSecond: 50, burst: 200, pushesPerMinute: 10 };

interface Fixture {
  /** @returns whether it was let through */
  ask(organization?: typeof acme, quota?: Quota, cost?: number): boolean;
  charge(cost: number): void;
  readonly headers: { policy: unknown; left: unknown; retryAfter: number | undefined };
  pass(ms: number): void;
  replicas: number;
}

function fixture(settings: RateSettings = rates): Fixture {
  const time = manualTime();
  const limiter = createRateLimiter({
    rates: settings,
    clock: time.clock,
    replicas: () => made.replicas,
  });
  const made: Fixture = {
    replicas: 1,
    headers: { policy: undefined, left: undefined, retryAfter: undefined },
    pass: (ms) => time.pass(ms),
    charge: (cost) => limiter.charge(acme, cost),
    ask(organization = acme, quota = 'default', cost = 1) {
      const res = new ServerResponse(new IncomingMessage(new Socket()));
      const { headers } = made;
      headers.retryAfter = undefined;
      try {
        limiter.take(organization, quota, res, cost);
        return true;
      } catch (thrown) {
        if (!(thrown instanceof FairleadError)) throw thrown;
        expect(thrown.code).toBe('too_many_requests');
        headers.retryAfter = thrown.retryAfter;
        return false;
      } finally {
        headers.policy = res.getHeader('RateLimit-Policy');
        headers.left = res.getHeader('RateLimit');
      }
    },
  };
  return made;
}

function letThrough(made: Fixture, asks: number): number {
  return Array.from({ length: asks }, () => made.ask()).filter(Boolean).length;
}

describe('a token bucket', () => {
  const gaps = fc.array(fc.nat({ max: 5_000 }), { minLength: 1, maxLength: 200 });

  it('[H15] allows at most its burst plus the rate times the span, in any span', () => {
    fc.assert(
      fc.property(
        gaps,
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 50 }),
        (waits, perSecond, burst) => {
          const rate = { perSecond, burst };
          const bucket = createTokenBucket(rate, 0);
          let now = 0;
          const arrivals = waits.map((wait) => {
            now += wait;
            return now;
          });
          const passed = arrivals.filter((at) => bucket.take(rate, at));
          for (const [first, from] of passed.entries()) {
            const counts = passed.slice(first).map((to, index) => ({ count: index + 1, to }));
            const tooMany = counts.filter(
              ({ count, to }) => count > burst + (perSecond * (to - from)) / 1_000 + 1e-6,
            );
            expect(tooMany).toEqual([]);
          }
        },
      ),
    );
  });

  it('allows requests within the rate', () => {
    const rate = { perSecond: 4, burst: 1 };
    const bucket = createTokenBucket(rate, 0);
    for (let now = 0; now < 60_000; now += 250) expect(bucket.take(rate, now)).toBe(true);
  });
});

describe('the limit of an organization', () => {
  it('allows the burst at once, and the rate from then on', () => {
    const made = fixture();
    expect(letThrough(made, 500)).toBe(200);
    made.pass(1_000);
    expect(letThrough(made, 500)).toBe(50);
    made.pass(3_600_000);
    expect(letThrough(made, 500)).toBe(200);
  });

  it('reports the remaining requests, the limit, and the delay', () => {
    const made = fixture();
    made.ask();
    expect(made.headers).toEqual({
      policy: '"default";q=200;w=4',
      left: '"default";r=199;t=1',
      retryAfter: undefined,
    });
    letThrough(made, 300);
    expect(made.headers).toMatchObject({ left: '"default";r=0;t=4', retryAfter: 1 });
  });

  it('is met by a client that waits for the reported delay', () => {
    const made = fixture({ ...rates, pushesPerMinute: 1 });
    expect(made.ask(acme, 'push')).toBe(true);
    expect(made.ask(acme, 'push')).toBe(false);
    expect(made.headers.retryAfter).toBe(60);
    made.pass(60_000);
    expect(made.ask(acme, 'push')).toBe(true);
  });

  it('counts pushes separately', () => {
    const made = fixture();
    letThrough(made, 300);
    for (let push = 0; push < 10; push += 1) expect(made.ask(acme, 'push')).toBe(true);
    expect(made.ask(acme, 'push')).toBe(false);
    expect(made.headers).toMatchObject({ policy: '"push";q=10;w=60', left: '"push";r=0;t=60' });
  });

  it('[H15] applies to the whole identity: neither the name nor the issuer alone', () => {
    const made = fixture();
    letThrough(made, 300);
    expect(made.ask()).toBe(false);
    expect(made.ask(organizationOf('https://issuer.test', 'globex'))).toBe(true);
    expect(made.ask(organizationOf('https://other.test', 'acme'))).toBe(true);
  });

  it('[H15] is divided by the number of replicas', () => {
    const made = fixture();
    made.replicas = 4;
    expect(letThrough(made, 500)).toBe(50);
    expect(made.headers.policy).toBe('"default";q=200;w=4');
    made.pass(1_000);
    expect(letThrough(made, 500)).toBe(12);
    made.replicas = 1;
    made.pass(60_000);
    expect(letThrough(made, 500)).toBe(200);
    made.pass(60_000);
    made.replicas = 1_000;
    expect(made.ask(), 'the share of a replica is one token at least').toBe(true);
  });

  it('is disabled by 0, without headers', () => {
    const made = fixture({ perSecond: 0, burst: 200, pushesPerMinute: 0 });
    expect(letThrough(made, 10_000)).toBe(10_000);
    expect(made.ask(acme, 'push')).toBe(true);
    expect(made.headers).toEqual({ policy: undefined, left: undefined, retryAfter: undefined });
  });

  it('is not kept over a restart', () => {
    letThrough(fixture(), 300);
    expect(fixture().ask()).toBe(true);
  });
});

it('[I7] counts an expensive request as several', () => {
  const made = fixture();
  expect(made.ask(acme, 'default', 17)).toBe(true);
  expect(made.headers.left).toBe('"default";r=183;t=1');
  const passed = Array.from({ length: 20 }, () => made.ask(acme, 'default', 17)).filter(Boolean);
  expect(passed).toHaveLength(10);
  expect(made.headers.retryAfter).toBe(1);
  expect(letThrough(made, 100)).toBe(13);
});

it('allows a request above the burst when the bucket is full', () => {
  const made = fixture({ perSecond: 1, burst: 5, pushesPerMinute: 1 });
  expect(made.ask(acme, 'default', 17)).toBe(true);
  expect(made.ask()).toBe(false);
  made.pass(5_000);
  expect(made.ask(acme, 'default', 17)).toBe(true);
});

it('charges what a request has cost beyond its count, up to a debt of one burst', () => {
  const made = fixture();
  made.charge(50);
  expect(made.ask(), 'nobody owes without a request').toBe(true);
  made.charge(50);
  expect(letThrough(made, 500)).toBe(149);
  made.charge(10_000);
  expect(made.ask()).toBe(false);
  expect(made.headers).toMatchObject({ left: '"default";r=0;t=8', retryAfter: 5 });
  for (let push = 0; push < 10; push += 1) expect(made.ask(acme, 'push')).toBe(true);
  made.pass(5_000);
  expect(letThrough(made, 500)).toBe(50);
});
