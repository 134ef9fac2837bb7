// Candidates for a real Lease, some of them behind a fault proxy. Whatever happens: one leads at a time, and every term has
// a larger number than the one before.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { createLeaderElection, type LeaderElection } from '../../../src/kube/leader/leader.ts';
import { whileLeading } from '../../../src/kube/leader/leader-client.ts';
import { type Lease, leaseKind } from '../../../src/kube/leader/lease-record.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { type FaultProxy, startFaultProxy } from '../../support/faults/fault-proxy.ts';
import { configMaps } from '../../support/faults/informer-behind-proxy.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

const leaseMs = 3_000;
const times = { leaseMs, renewDeadlineMs: 2_000, retryMs: 200 };
/** Long enough to look, far too short for a lease to lapse. */
const atOnceMs = 1_500;
const never = new Promise(() => undefined);

interface Term {
  readonly identity: string;
  readonly token: number;
  readonly from: number;
  /** When it was stopped. */
  until: number;
}

interface Candidate {
  readonly election: LeaderElection;
  readonly client: StreamingClient;
  readonly ended: Promise<'stopped' | 'lost'>;
}

let round = 0;
let name: string;
let terms: Term[];
let candidates: Candidate[];
let proxy: FaultProxy;
let direct: StreamingClient;

beforeEach(async () => {
  const { kubeconfig } = sharedControlPlane();
  round += 1;
  name = `leader-${round}`;
  terms = [];
  candidates = [];
  proxy = await startFaultProxy(kubeconfig);
  direct = createKubeClient(loadCluster({ kubeconfig }));
});
afterEach(async () => {
  await Promise.all(candidates.map(({ election }) => election.stop()));
  await direct.delete(leaseKind, { namespace: 'default', name });
  await Promise.all(
    [direct, ...candidates.map(({ client }) => client)].map((each) => each.close()),
  );
  await proxy.stop();
  inTurns();
});

/** No term began before the last one was over, and each has a larger number. */
function inTurns(): void {
  for (const [index, term] of terms.slice(1).entries()) {
    expect(term.from).toBeGreaterThanOrEqual(terms[index]?.until ?? Number.NaN);
    expect(term.token).toBeGreaterThan(terms[index]?.token ?? Number.NaN);
  }
}

interface CandidateOptions {
  readonly behindProxy?: boolean;
  /** Work of the leader after it was stopped. */
  readonly work?: () => Promise<void>;
}

function candidate(
  identity: string,
  { behindProxy = false, work }: CandidateOptions = {},
): Candidate {
  const { kubeconfig } = behindProxy ? proxy : sharedControlPlane();
  const client = createKubeClient(loadCluster({ kubeconfig }));
  let token = 0;
  const election = createLeaderElection({
    client,
    namespace: 'default',
    name,
    identity,
    clock: systemClock,
    random: Math.random,
    log: {
      ...silentLog,
      info({ fencingToken = token }) {
        token = Number(fencingToken);
      },
    },
    ...times,
  });
  const ended = election.run({
    async onStarted(signal) {
      const term = { identity, token, from: performance.now(), until: Number.POSITIVE_INFINITY };
      terms.push(term);
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      term.until = performance.now();
      await work?.();
      term.until = performance.now();
    },
    onStopped: () => undefined,
  });
  const made = { election, client, ended };
  candidates.push(made);
  return made;
}

async function leadingOf({ election }: Candidate): Promise<void> {
  await eventually(() => expect(election.leading).toBe(true));
}

function record(): Promise<Lease> {
  return direct.get<Lease>(leaseKind, { namespace: 'default', name });
}

/** Waits until the lease has been renewed for this long, so no other candidate can have acquired it. */
async function isRenewedFor(ms: number): Promise<void> {
  const renewedAt = async () => Date.parse((await record()).spec?.renewTime ?? '');
  const from = await renewedAt();
  await eventually(async () => expect(await renewedAt()).toBeGreaterThan(from + ms));
}

describe('of several candidates', () => {
  it('one leads', async () => {
    const all = ['a', 'b', 'c', 'd', 'e'].map((identity) => candidate(identity));
    await eventually(() => expect(terms.length).toBe(1));
    const { renewTime } = (await record()).spec ?? {};
    await eventually(async () => expect((await record()).spec?.renewTime).not.toBe(renewTime));
    expect(all.filter(({ election }) => election.leading).length).toBe(1);
    expect((await record()).spec).toMatchObject({
      holderIdentity: terms[0]?.identity,
      leaseTransitions: terms[0]?.token,
      renewTime: expect.stringMatching(/\.\d{6}Z$/),
    });
  });

  it('another leads at once when the leader stops', async () => {
    const first = candidate('first');
    await leadingOf(first);
    const second = candidate('second');
    await first.election.stop();
    expect(await first.ended).toBe('stopped');
    const stoppedAt = performance.now();
    await leadingOf(second);
    expect(performance.now() - stoppedAt).toBeLessThan(atOnceMs);
  });

  it('another leads only when the work of the one that stops has ended', async () => {
    const finished = Promise.withResolvers<void>();
    const first = candidate('first', { work: () => finished.promise });
    await leadingOf(first);
    const second = candidate('second');
    const stopped = first.election.stop();
    await isRenewedFor(1.5 * leaseMs);
    expect(second.election.leading).toBe(false);
    finished.resolve();
    await stopped;
    await leadingOf(second);
  });
});

describe('a leader that is cut off', () => {
  it('stops before another begins, and writes nothing any more', async () => {
    const first = candidate('first', { behindProxy: true });
    await leadingOf(first);
    const second = candidate('second');
    proxy.rule(() => ({ holdUntil: never }));
    expect(await first.ended).toBe('lost');
    expect(first.election.remainingMs()).toBe(0);
    const guarded = whileLeading(direct, first.election);
    const writing = guarded.create(configMaps, {
      metadata: { name: 'late', namespace: 'default' },
    });
    await expect(writing).rejects.toMatchObject({ reason: 'aborted', outcome: 'refused' });
    await leadingOf(second);
    expect(terms.map(({ identity }) => identity)).toEqual(['first', 'second']);
  });

  it('for less than its deadline goes on', async () => {
    const first = candidate('first', { behindProxy: true });
    await leadingOf(first);
    candidate('second');
    for (let times = 1; times <= 3; times += 1) {
      const asked = proxy.asked.length;
      const heal = proxy.rule(() => 'reset');
      await eventually(() => expect(proxy.asked.length).toBeGreaterThan(asked + 2));
      heal();
      const { renewTime } = (await record()).spec ?? {};
      await eventually(async () => expect((await record()).spec?.renewTime).not.toBe(renewTime));
    }
    expect(terms.length).toBe(1);
    expect(first.election.leading).toBe(true);
  });

  it('from the answers to its renewals alone finds out that they were made', async () => {
    const first = candidate('first', { behindProxy: true });
    await leadingOf(first);
    candidate('second');
    proxy.rule(({ verb }) => (verb === 'write' ? 'drop reply' : undefined));
    await isRenewedFor(1.5 * leaseMs);
    expect(terms.length).toBe(1);
    expect(first.election.leading).toBe(true);
  });
});

describe('a leader', () => {
  it('whose process slept knows on waking, before any timer or answer, that it leads no more', async () => {
    const first = candidate('first');
    await leadingOf(first);
    const guarded = whileLeading(direct, first.election, 0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, leaseMs + 100);
    expect(first.election.remainingMs()).toBe(0);
    expect(await first.ended).toBe('lost');
    const writing = guarded.create(configMaps, {
      metadata: { name: 'late', namespace: 'default' },
    });
    await expect(writing).rejects.toMatchObject({ reason: 'aborted' });
  });

  it('that was started again leads again at once, and its last process hears of it', async () => {
    const last = candidate('same');
    await leadingOf(last);
    const again = candidate('same');
    const startedAt = performance.now();
    await leadingOf(again);
    expect(performance.now() - startedAt).toBeLessThan(atOnceMs);
    expect(await last.ended).toBe('lost');
    // Both lead for a moment: the number distinguishes them.
    expect(terms[1]?.token).toBeGreaterThan(terms[0]?.token ?? Number.NaN);
    terms = [];
  });

  it('whose lease was deleted writes it anew, with its number', async () => {
    const first = candidate('first');
    await leadingOf(first);
    const { metadata } = await record();
    await direct.delete(leaseKind, { namespace: 'default', name });
    const found = await eventually(record);
    expect(found.metadata.uid).not.toBe(metadata.uid);
    expect(found.spec).toMatchObject({
      holderIdentity: 'first',
      leaseTransitions: terms[0]?.token,
    });
    expect(first.election.leading).toBe(true);
  });

  it('whose work fails leaves the lease to another at once', async () => {
    const client = createKubeClient(loadCluster(sharedControlPlane()));
    const failing = createLeaderElection({
      client,
      namespace: 'default',
      name,
      identity: 'failing',
      clock: systemClock,
      random: Math.random,
      log: silentLog,
      ...times,
    });
    const onStarted = () => Promise.reject(new Error('cannot lead'));
    await expect(failing.run({ onStarted, onStopped: () => undefined })).rejects.toThrow(
      'cannot lead',
    );
    const releasedAt = performance.now();
    await leadingOf(candidate('next'));
    expect(performance.now() - releasedAt).toBeLessThan(atOnceMs);
    await client.close();
  });
});
