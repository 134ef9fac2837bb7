// Each write of a resource's life fails in turn: rejected, or executed without a response. No process dies; the writer must find
// out the outcome. A deletion that fails between its writes leaves a mark that nothing follows later.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultFixture, judge, openFixture, settled } from '../support/faults/fault-fixture.ts';
import type { Fault } from '../support/faults/fault-proxy.ts';
import { finalResources } from '../support/faults/history/model.ts';
import { fails, works } from '../support/faults/history/provider.ts';
import {
  attempts,
  failures,
  insist,
  isStepOf,
  make,
  name,
  patienceMs,
  type Workload,
  wholeLife,
} from '../support/faults/workloads.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Replica } from '../support/servers/replica.ts';

let fixture: FaultFixture;
let replica: Replica;

beforeAll(async () => {
  fixture = await openFixture();
  replica = fixture.replica('only', { policy: { maxAttempts: attempts } });
  await replica.start();
});
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]();
});

interface Trouble {
  readonly fault: Fault;
  readonly step: number;
}

/** @returns whose life it was, and how many writes it took */
async function live(workload: Workload, trouble?: Trouble) {
  const tenant = await fixture.tenant(replica, workload.provider);
  await workload.prepare?.(tenant);
  const isStep = isStepOf(tenant.namespace);
  let steps = 0;
  const forget = fixture.proxy.rule((asked) => {
    if (!isStep(asked)) return undefined;
    steps += 1;
    if (steps !== trouble?.step) return undefined;
    tenant.recorder.fault(`${JSON.stringify(trouble.fault)} at write ${trouble.step}`, 10_000);
    return trouble.fault;
  });
  await workload.run(tenant);
  forget();
  return { tenant, steps };
}

const faults: readonly Fault[] = [
  'drop reply',
  'reset',
  { answer: 409 },
  { answer: 429, retryAfterSeconds: 1 },
  { answer: 500 },
  { answer: 503, retryAfterSeconds: 1 },
];
const lives: Readonly<Record<string, Workload>> = {
  'a life from create to delete': wholeLife,
  'a dead letter': failures['a dead letter after the last attempt'] ?? wholeLife,
};
const cases = Object.entries(lives).flatMap(([life, workload]) =>
  faults.map((fault) => ({ life, workload, fault })),
);

describe.for(cases)('$life with $fault', ({ workload, fault }) => {
  it('reaches the same end state with a fault at any write', async (context) => {
    const clean = await live(workload);
    const { end } = await judge(context, clean.tenant, { quiet: 200 });
    expect(clean.steps).toBeGreaterThan(2);
    const runs = Array.from({ length: clean.steps }, async (_, index) => {
      const { tenant } = await live(workload, { fault, step: index + 1 });
      await judge(context, tenant, { clean: end });
    });
    await Promise.all(runs);
  });
});

const marks = [
  { mark: 'orphan', answers: works, isLeft: false },
  { mark: 'force', answers: fails(422), isLeft: true },
] as const;

it.for(marks)(
  'an expiry follows no $mark of a deletion that failed between its writes',
  async ({ mark, answers, isLeft }, context) => {
    const tenant = await fixture.tenant(replica);
    const client = tenant.client();
    await make(tenant, { size: 1 });
    let deletions = 0;
    const heal = fixture.proxy.rule(({ verb, method, plural, path }) => {
      const isOurs = path.includes(`/namespaces/${tenant.namespace}/`);
      if (verb !== 'write' || plural !== 'resources' || !isOurs) return undefined;
      if (method === 'DELETE') deletions += 1;
      // The writes that would take the mark back do not arrive either.
      return deletions > 0 ? { answer: 503 } : undefined;
    });
    const asked = await client.delete(name, { [mark]: true });
    tenant.recorder.fault(`a deletion with ${mark} fails`, 5_000);
    heal();
    expect(asked.outcome).toBe('info');
    expect(deletions).toBeGreaterThan(0);
    tenant.provider.follow((event, earlier) =>
      (event.event_type === 'DELETE' ? answers : works)(event, earlier),
    );
    const expires_at = new Date(Date.now() + 2_000).toISOString();
    const response = await insist(() => client.applyWith(name, { size: 1 }, { expires_at }));
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    await eventually(() => {
      expect(tenant.provider.deliveries.at(-1)?.eventType).toBe('DELETE');
    }, patienceMs);
    await settled(tenant);
    // One that is being deleted is hidden over HTTP.
    expect(finalResources(await tenant.recorder.history()).has(name)).toBe(isLeft);
    await judge(context, tenant);
  },
);
