// The whole service, API and controllers in one process, is killed after each of its writes: before it hears that the write
// was done, and right after. It is started again, clients repeat what they do not know the outcome of, and in the end
// everything is as if nothing had happened.
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { sharedControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { type FaultLab, judge, openLab, type Tenant } from '../support/fault-lab.ts';
import type { Asked } from '../support/fault-proxy.ts';
import { fails, first, type Script, works } from '../support/history/provider.ts';
import type { Told } from '../support/history/recorder.ts';
import type { Replica } from '../support/replica.ts';

const name = 'box/crate/one';
const attempts = 2;
const broken = fails(422);
const unavailable = fails(500);

interface Workload {
  readonly provider?: Script;
  /** What is there before the first write that counts. */
  readonly prepare?: (tenant: Tenant) => Promise<void>;
  readonly run: (tenant: Tenant) => Promise<void>;
}

async function insist(call: () => Promise<Told>): Promise<Told> {
  return await eventually(async () => {
    const told = await call();
    expect(told.outcome).not.toBe('info');
    return told;
  });
}

async function is(tenant: Tenant, state: string | undefined): Promise<void> {
  await eventually(async () => {
    const { body, status } = await tenant.client().read(name);
    const found =
      status === 404 ? undefined : (body as { lifecycle_state?: string })?.lifecycle_state;
    expect(found ?? (status === 404 ? undefined : 'unknown')).toBe(state);
  });
}

async function apply(tenant: Tenant, config: JsonObject, lifecycle?: 'draft' | 'pending') {
  const told = await insist(() => tenant.client().apply(name, config, lifecycle));
  expect(told.status).toBe(200);
}

async function applyUntil(tenant: Tenant, config: JsonObject, state: string): Promise<void> {
  await apply(tenant, config);
  await is(tenant, state);
}

const workloads: Readonly<Record<string, Workload>> = {
  create: { run: (tenant) => applyUntil(tenant, { size: 1 }, 'ready') },
  update: {
    prepare: (tenant) => applyUntil(tenant, { size: 1 }, 'ready'),
    run: (tenant) => applyUntil(tenant, { size: 2 }, 'ready'),
  },
  delete: {
    prepare: (tenant) => applyUntil(tenant, { size: 1 }, 'ready'),
    async run(tenant) {
      await insist(() => tenant.client().delete(name));
      await is(tenant, undefined);
    },
  },
  'a dead letter after the last attempt': {
    provider: unavailable,
    run: (tenant) => applyUntil(tenant, { size: 1 }, 'failed'),
  },
  'a dead letter of a terminal failure': {
    provider: broken,
    run: (tenant) => applyUntil(tenant, { size: 1 }, 'failed'),
  },
  'an apply after a failure': {
    provider: first(1, broken),
    prepare: (tenant) => applyUntil(tenant, { size: 1 }, 'failed'),
    async run(tenant) {
      tenant.provider.follow(works);
      await applyUntil(tenant, { size: 2 }, 'ready');
    },
  },
  'a draft that is committed': {
    async run(tenant) {
      await apply(tenant, { size: 1 }, 'draft');
      await applyUntil(tenant, { size: 2 }, 'ready');
    },
  },
};

let lab: FaultLab;
let replica: Replica;

beforeAll(async () => {
  lab = await openLab(sharedControlPlane());
  replica = lab.replica('only', { policy: { maximumAttempts: attempts } });
  await replica.start();
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
});

/** Neither renewing the lease nor telling people is a step of the work. */
function isStep({ verb, plural }: Asked): boolean {
  return verb === 'write' && plural !== 'leases' && plural !== 'events';
}

async function prepared({ provider, prepare }: Workload): Promise<Tenant> {
  const tenant = await lab.tenant(replica, provider);
  await prepare?.(tenant);
  return tenant;
}

type Moment = 'reply' | 'next step';

/** @returns the end, and what was written */
async function undisturbed(context: TestContext, workload: Workload) {
  const tenant = await prepared(workload);
  const before = lab.proxy.asked.length;
  await workload.run(tenant);
  const { end } = await judge(context, tenant, { quiet: 200 });
  const steps = lab.proxy.asked.slice(before).filter(isStep);
  return { end, steps };
}

async function crashedAt(
  context: TestContext,
  workload: Workload,
  { step, moment, clean }: { step: number; moment: Moment; clean: JsonObject },
): Promise<void> {
  const tenant = await prepared(workload);
  let steps = 0;
  const crashed = Promise.withResolvers<void>();
  const forget = lab.proxy.rule((asked) => {
    if (!isStep(asked)) return undefined;
    steps += 1;
    if (steps !== step) return undefined;
    const crash = () => {
      replica.killNow();
      tenant.recorder.fault(`crash before the ${moment} of write ${step}`, 10_000);
      crashed.resolve();
    };
    return { crash, before: moment };
  });
  const restarted = crashed.promise.then(() => replica.ended()).then(() => replica.start());
  await workload.run(tenant);
  forget();
  expect(steps, 'the crash happened').toBeGreaterThanOrEqual(step);
  await restarted;
  await judge(context, tenant, { clean, quiet: 300 });
}

describe.each(Object.entries(workloads))('%s', (_name, workload) => {
  it('ends as if nothing had happened, after whichever write the process dies', async (context) => {
    const { end, steps } = await undisturbed(context, workload);
    expect(steps.length).toBeGreaterThan(1);
    for (let step = 1; step <= steps.length; step += 1) {
      for (const moment of ['reply', 'next step'] as const) {
        await crashedAt(context, workload, { step, moment, clean: end });
      }
    }
  });
});
