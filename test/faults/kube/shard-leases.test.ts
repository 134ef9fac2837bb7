// Processes that share shards by their Leases, on a real API server: a shard has one leader at a time, whoever comes, goes,
// is cut off, or divides the namespaces into another number of shards.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepLeading, type Leading } from '../../../src/app/controllers/leader.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import type { Controller } from '../../../src/kube/controller.ts';
import { type Lease, leaseKind } from '../../../src/kube/leader/lease-record.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { namespaceKind } from '../../../src/store/kinds.ts';
import { type FaultProxy, startFaultProxy } from '../../support/faults/fault-proxy.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

const times = { leaseMs: 3_000, renewDeadlineMs: 2_000, retryMs: 200 };

interface Term {
  readonly identity: string;
  readonly shard: number;
  readonly shards: number;
  readonly from: number;
  until: number;
}

let round = 0;
let namespace: string;
let members: Set<string>;
let terms: Term[];
let running: { readonly leading: Leading; readonly client: StreamingClient }[];
let proxy: FaultProxy;
let direct: StreamingClient;

beforeEach(async () => {
  const { kubeconfig } = sharedControlPlane();
  round += 1;
  namespace = `shards-${process.pid}-${round}`;
  members = new Set();
  terms = [];
  running = [];
  proxy = await startFaultProxy(kubeconfig);
  direct = createKubeClient(loadCluster({ kubeconfig }));
  await direct.create(namespaceKind, { metadata: { name: namespace } });
});
afterEach(async () => {
  await Promise.all(running.map(({ leading }) => leading.stop()));
  await Promise.all([direct, ...running.map(({ client }) => client)].map((each) => each.close()));
  await proxy.stop();
  oneAtATime();
});

/** Terms of the same namespaces do not overlap: of one shard, or of different numbers of shards. */
function oneAtATime(): void {
  for (const one of terms) {
    for (const other of terms) {
      const areRivals = one !== other && (one.shards !== other.shards || one.shard === other.shard);
      if (!areRivals) continue;
      const overlap = Math.min(one.until, other.until) - Math.max(one.from, other.from);
      expect(overlap, JSON.stringify([one, other])).toBeLessThanOrEqual(0);
    }
  }
}

/** Its only controller records the term. */
function recording(term: Term, background: number): Controller {
  return {
    name: 'recorder',
    background,
    start: () => {
      terms.push(term);
      return Promise.resolve();
    },
    stop: () => {
      term.until = Math.min(term.until, systemClock.monotonic());
      return Promise.resolve();
    },
  };
}

function start(
  identity: string,
  shards: number,
  { behindProxy = false, busy = [] as readonly number[] } = {},
): Leading {
  const { kubeconfig } = behindProxy ? proxy : sharedControlPlane();
  const client = createKubeClient(loadCluster({ kubeconfig }));
  members.add(identity);
  const leading = keepLeading({
    kubeDeps: { client, clock: systemClock, log: silentLog, random: Math.random },
    namespace,
    identity,
    shards,
    members: () => members,
    prepare: () => Promise.resolve(),
    controllers: ({ shard }) => {
      const from = systemClock.monotonic();
      const term = { identity, shard, shards, from, until: Number.POSITIVE_INFINITY };
      return [recording(term, busy.includes(shard) ? 1 : 0)];
    },
    times,
  });
  running.push({ leading, client });
  return leading;
}

async function leave(identity: string, leading: Leading): Promise<void> {
  members.delete(identity);
  await leading.stop();
}

const counts = (...all: readonly Leading[]) => all.map(({ led }) => led.length);

it('shares shards evenly with processes that come and go', async () => {
  const a = start('a', 5);
  await eventually(() => expect(counts(a)).toEqual([5]));
  const b = start('b', 5);
  await eventually(() => expect(counts(a, b).toSorted()).toEqual([2, 3]), 20_000);
  const c = start('c', 5);
  await eventually(() => expect(counts(a, b, c).toSorted()).toEqual([1, 2, 2]), 20_000);
  await leave('a', a);
  await eventually(() => expect(counts(b, c).toSorted()).toEqual([2, 3]), 20_000);
});

it('keeps the shards with work in the background, and takes those of a process that is cut off, after the lease time', async () => {
  const a = start('a', 4, { behindProxy: true, busy: [1, 3] });
  await eventually(() => expect(counts(a)).toEqual([4]));
  const b = start('b', 4);
  await eventually(() => expect(counts(a, b)).toEqual([2, 2]), 20_000);
  expect(a.led).toEqual([1, 3]);
  const heal = proxy.rule(() => 'reset');
  members.delete('a');
  await eventually(() => expect(counts(a, b)).toEqual([0, 4]), 20_000);
  heal();
  members.add('a');
  await eventually(() => expect(counts(a, b)).toEqual([2, 2]), 20_000);
});

it('waits for processes with another number of shards, and removes the Leases that are left', async () => {
  const old = [start('old-a', 3), start('old-b', 3)];
  await eventually(() => expect(counts(...old).toSorted()).toEqual([1, 2]), 20_000);
  const next = start('next', 2, { behindProxy: true });
  const looks = () => proxy.asked.filter(({ plural }) => plural === 'leases').length;
  // Often enough to take a free Lease ten times.
  await eventually(() => expect(looks()).toBeGreaterThanOrEqual(10));
  expect(counts(next)).toEqual([0]);
  await Promise.all(old.map((each, at) => leave(['old-a', 'old-b'][at] ?? '', each)));
  await eventually(() => expect(counts(next)).toEqual([2]), 20_000);
  const single = start('single', 1);
  await leave('next', next);
  await eventually(() => expect(counts(single)).toEqual([1]), 20_000);
  await eventually(async () => {
    const { items } = await direct.list<Lease>(leaseKind, { namespace });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['fairlead-controller']);
  });
});
