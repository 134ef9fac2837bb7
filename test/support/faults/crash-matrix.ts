// The whole service, API and controllers in one process, is killed at each of its writes: before it receives the result of the
// write, and right after. It is restarted, clients repeat requests of unknown outcome, and the end equals that of an
// undisturbed run.
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { Replica } from '../servers/replica.ts';
import { type FaultFixture, judge, openFixture, settled, type Tenant } from './fault-fixture.ts';
import { attempts, isStepOf, type Workload } from './workloads.ts';

let fixture: FaultFixture;
let replica: Replica;

async function prepared({ provider, prepare }: Workload): Promise<Tenant> {
  const tenant = await fixture.tenant(replica, provider);
  await prepare?.(tenant);
  return tenant;
}

/** @returns the end, and how many steps lead there */
async function undisturbed(context: TestContext, workload: Workload) {
  const tenant = await prepared(workload);
  const before = fixture.proxy.asked.length;
  await workload.run(tenant);
  const { end } = await judge(context, tenant, { quiet: 200 });
  const steps = fixture.proxy.asked.slice(before).filter(isStepOf(tenant.namespace));
  return { end, steps: steps.length };
}

interface Crash {
  readonly step: number;
  /** Whether the process still receives the result of the write. */
  readonly before: 'reply' | 'next step';
}

async function crashing({ step, before }: Crash, tenant: Tenant, { run }: Workload): Promise<void> {
  const isStep = isStepOf(tenant.namespace);
  const crashed = Promise.withResolvers<void>();
  let steps = 0;
  const forget = fixture.proxy.rule((asked) => {
    if (!isStep(asked)) return undefined;
    steps += 1;
    if (steps !== step) return undefined;
    const crash = () => {
      replica.killNow();
      tenant.recorder.fault(`crash before the ${before} of write ${step}`, 10_000);
      crashed.resolve();
    };
    return { crash, before };
  });
  const restarted = crashed.promise.then(() => replica.ended()).then(() => replica.start());
  const work = run(tenant).then(() => settled(tenant));
  // A process that does not start again would look like a service that answers nobody.
  await Promise.race([work, restarted.then(() => work)]);
  forget();
  expect(steps, 'the crash has happened').toBeGreaterThanOrEqual(step);
  await restarted;
}

/** Call it at the top of a test file: its workloads share a service, and their crashes follow one another. */
export function crashMatrix(workloads: Readonly<Record<string, Workload>>): void {
  beforeAll(async () => {
    fixture = await openFixture();
    // No provider hangs here: an answer that comes late on a busy machine is none of the faults.
    replica = fixture.replica('only', {
      policy: { maxAttempts: attempts },
      eventTimeoutMs: 10_000,
    });
    await replica.start();
  });
  afterAll(async () => {
    await fixture?.[Symbol.asyncDispose]();
  });

  describe.each(Object.entries(workloads))('%s', (_name, workload) => {
    it('reaches the same end state after a crash at any write', async (context) => {
      const { end, steps: once } = await undisturbed(context, workload);
      // A write that lost to another one is done again, and a process cannot die at what does not come to pass next time.
      const steps = Math.min(once, (await undisturbed(context, workload)).steps);
      expect(steps).toBeGreaterThan(1);
      const crashes = Array.from({ length: steps }, (_, index) => index + 1).flatMap((step) => [
        { step, before: 'reply' } as const,
        { step, before: 'next step' } as const,
      ]);
      const tenants = await Promise.all(
        crashes.map(async (crash) => ({ crash, tenant: await prepared(workload) })),
      );
      for (const { crash, tenant } of tenants) await crashing(crash, tenant, workload);
      await Promise.all(
        tenants.map(({ tenant }) => judge(context, tenant, { clean: end, quiet: 1_000 })),
      );
    });
  });
}
