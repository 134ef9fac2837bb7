// Runs a whole Fairlead, two replicas of each program, under churn and restarts for a while, and checks its recorded history.
import { setTimeout as pause } from 'node:timers/promises';
import { checkHistory } from '../../test/support/faults/history/checker.ts';
import type { Violation } from '../../test/support/faults/history/model.ts';
import {
  type ScriptedProvider,
  scriptedProvider,
} from '../../test/support/faults/history/provider.ts';
import { type Recorder, startRecorder } from '../../test/support/faults/history/recorder.ts';
import type { Replica } from '../../test/support/servers/replica.ts';
import { type Installation, openInstallation } from '../setup/installation.ts';
import { createSubject } from '../setup/subject.ts';
import { type Busy, type Churned, churn, unreliable } from './churn.ts';
import { aftermathMs, disturb, type Replicas } from './restarts.ts';
import { type Sample, sample } from './samples.ts';

const organizations = 3;
/** Two for each controller. */
const shards = 4;
/** Short, so that retries and lost answers end within a restart. */
const policy = { baseMs: 50, capMs: 500, retryAfterCapMs: 2_000 };
const eventTimeoutMs = 2_000;
/** Dead letters are bounded, as memory must be. */
const supersededKept = 20;
const settleMs = 180_000;
const quietMs = 5_000;

export interface Soaked {
  readonly samples: readonly Sample[];
  readonly violations: readonly Violation[];
  readonly churned: Churned;
  readonly deliveries: number;
  readonly restarts: number;
}

export interface SoakOptions {
  readonly minutes: number;
  readonly say: (line: string) => void;
}

export async function soak({ minutes, say }: SoakOptions): Promise<Soaked> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await openInstallation());
  const { raw } = installation;
  const replicas = await startReplicas(installation);
  const tenants: Tenant[] = [];
  for (let at = 0; at < organizations; at += 1)
    tenants.push(await startTenant(stack, installation, replicas));
  const { lasting, restarted } = replicas;
  const ending = AbortSignal.timeout(Math.round(minutes * 60_000));
  const report = (name: string) => {
    say(name);
    for (const { recorder } of tenants) recorder.fault(name, aftermathMs);
  };
  const everyMs = Math.min(150_000, (minutes * 60_000) / 8);
  const [samples, restarts, ...churned] = await Promise.all([
    sample([lasting.api, lasting.controller], raw, ending),
    disturb(replicas, { everyMs, report, signal: ending }),
    ...tenants.map((tenant) => churn(tenant, [lasting.api, restarted.api], ending)),
  ]);
  say('waits for the end of all work');
  const violations: Violation[] = [];
  for (const tenant of tenants) violations.push(...(await judge(tenant)));
  const deliveries = tenants.map(({ provider }) => provider.deliveries.length);
  return {
    samples,
    violations,
    restarts,
    churned: churned.reduce(add),
    deliveries: deliveries.reduce((sum, each) => sum + each, 0),
  };
}

interface LastingReplicas extends Replicas {
  readonly lasting: { readonly api: Replica; readonly controller: Replica };
}

async function startReplicas(installation: Installation): Promise<LastingReplicas> {
  const options = { policy, eventTimeoutMs, supersededKept, shards };
  const create = async (part: 'api' | 'controller', name: string) => {
    const replica = installation.replica(`${part}-${name}`, { ...options, parts: [part] });
    await replica.start();
    return replica;
  };
  // The controller publishes the keys that the API serves.
  const controller = await create('controller', 'a');
  return {
    lasting: { controller, api: await create('api', 'a') },
    restarted: { controller: await create('controller', 'b'), api: await create('api', 'b') },
  };
}

interface Tenant extends Busy {
  readonly provider: ScriptedProvider;
  readonly recorder: Recorder;
}

async function startTenant(
  stack: AsyncDisposableStack,
  installation: Installation,
  { lasting }: LastingReplicas,
): Promise<Tenant> {
  const { kubeconfig, raw } = installation;
  const name = `soak-${Math.random().toString(36).slice(2, 8)}`;
  // Also creates its namespace.
  const subject = await createSubject(installation.target(lasting.api), name);
  await subject.close();
  const { namespace, token } = subject;
  const register = { provider: 'box', resource: 'crate', description: 'A crate' };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify(register);
  await fetch(`${lasting.api.url}/resources/register`, { method: 'POST', headers, body });
  const provider = await scriptedProvider(unreliable);
  stack.defer(() => provider.close());
  await raw.send('POST', `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/providers`, {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Provider',
    metadata: { name: 'box', namespace },
    spec: { provider: 'box', endpoint: provider.url },
  });
  const recorder = await startRecorder({ kubeconfig, namespace, provider });
  stack.defer(() => recorder.stop());
  return { token, provider, recorder, client: (replica) => recorder.client(replica, token) };
}

/** Waits until no accepted work is left, then looks for writes that nothing asks for. */
async function judge({ recorder }: Tenant): Promise<readonly Violation[]> {
  const endBy = performance.now() + settleMs;
  while (performance.now() < endBy && (await unfinished(recorder))) await pause(1_000);
  recorder.quietFromNow();
  await pause(quietMs);
  return checkHistory(await recorder.history());
}

async function unfinished(recorder: Recorder): Promise<boolean> {
  const violations = checkHistory(await recorder.history());
  return violations.some(({ invariant }) => invariant === 'I2');
}

function add(left: Churned, right: Churned): Churned {
  return {
    applies: left.applies + right.applies,
    deletions: left.deletions + right.deletions,
    retries: left.retries + right.retries,
    streams: left.streams + right.streams,
  };
}
