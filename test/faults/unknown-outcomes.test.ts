// Each write of a resource's life fails in turn: rejected, or executed without a response. No process dies; the writer must find
// out the outcome.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultFixture, judge, openFixture } from '../support/faults/fault-fixture.ts';
import type { Fault } from '../support/faults/fault-proxy.ts';
import {
  attempts,
  isStepOf,
  type Workload,
  wholeLife,
  workloads,
} from '../support/faults/workloads.ts';
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
  'a dead letter': workloads['a dead letter after the last attempt'] ?? wholeLife,
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
