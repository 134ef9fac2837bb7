// An informer on a real API server, through a proxy that causes every known fault of lists and watches. After each fault the cache
// is correct, handlers have received it, and one watch is open.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultInactivityMs } from '../../../src/kube/informer/informer.ts';
import type { Timers } from '../../../src/kube/timers.ts';
import type { Asked, Fault } from '../../support/faults/fault-proxy.ts';
import type { Disturbance } from '../../support/faults/fault-proxy-watch.ts';
import {
  type InformerBehindProxy,
  informerBehindProxy,
} from '../../support/faults/informer-behind-proxy.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

const inactivityMs = 1_000;
let subject: InformerBehindProxy;

beforeEach(async () => {
  const { kubeconfig } = sharedControlPlane();
  subject = await informerBehindProxy(kubeconfig, { inactivityMs });
  await Promise.all(['kept', 'doomed', 'reborn'].map((name) => subject.write(name)));
  await subject.informer.start();
  await subject.holdsTheTruth();
});
afterEach(async () => {
  await Promise.all(['kept', 'doomed', 'reborn', 'born'].map((name) => subject.remove(name)));
  await subject.stop();
});

/** Every kind of change: one more, one changed, one gone, one gone and made again. */
async function changeEverything(): Promise<void> {
  await subject.write('born');
  await subject.write('kept');
  await subject.remove('doomed');
  await subject.remove('reborn');
  await subject.write('reborn');
}

function fail(verb: Asked['verb'], fault: Fault): () => void {
  return subject.proxy.rule((asked) =>
    asked.plural === 'configmaps' && asked.verb === verb ? fault : undefined,
  );
}

function moreThan(count: number, verb: Asked['verb']): Promise<void> {
  return eventually(() => expect(subject.count(verb)).toBeGreaterThan(count));
}

describe('an open watch', () => {
  const disturbances: readonly Disturbance[] = [
    'end',
    'reset',
    'silence',
    'truncate next',
    'garble next',
    { error: 410 },
    { error: 500 },
    { error: 401 },
  ];
  it.each(disturbances)('loses nothing when disturbed by %j', async (disturbance) => {
    expect(subject.proxy.disturb('configmaps', disturbance)).toBe(1);
    await changeEverything();
    await subject.holdsTheTruth();
  });

  it.each<Disturbance>(['truncate next', 'garble next', { error: 410 }, { error: 500 }])(
    'is not trusted any more after %j: everything is listed again, once',
    async (disturbance) => {
      const lists = subject.lists();
      subject.proxy.disturb('configmaps', disturbance);
      await subject.write('kept');
      await eventually(() => expect(subject.lists()).toBeGreaterThan(lists));
      await subject.holdsTheTruth();
      expect(subject.lists()).toBe(lists + 1);
    },
  );

  it.each<Disturbance>(['end', 'reset', 'silence'])(
    'goes on where it was after %j, without a list',
    async (disturbance) => {
      const [lists, watches] = [subject.count('list'), subject.count('watch')];
      subject.proxy.disturb('configmaps', disturbance);
      await moreThan(watches, 'watch');
      await changeEverything();
      await subject.holdsTheTruth();
      expect(subject.count('list')).toBe(lists);
    },
  );

  it('makes good with its next list what never came', async () => {
    subject.proxy.disturb('configmaps', 'swallow next');
    const { metadata } = await subject.write('kept');
    subject.proxy.disturb('configmaps', { error: 410 });
    await subject.holdsTheTruth();
    expect(subject.received.get('default/kept')).toBe(metadata.resourceVersion);
  });

  it('[R05] that lost an event without a word is followed by a list, once the last one is old', async () => {
    const own = await informerBehindProxy(sharedControlPlane().kubeconfig, { relistMs: 0 });
    await own.informer.start();
    await own.holdsTheTruth();
    own.proxy.disturb('configmaps', 'swallow next');
    const { metadata } = await own.write('kept');
    // A watch that resumed here would never receive the change.
    const later = await own.write('doomed');
    await own.informer.reached('default/doomed', later.metadata.resourceVersion ?? '', 5_000);
    own.proxy.disturb('configmaps', 'end');
    await own.holdsTheTruth();
    expect(own.received.get('default/kept')).toBe(metadata.resourceVersion);
    await own.stop();
  });

  it('that is half-open is noticed within a minute, unless told otherwise', () => {
    expect(defaultInactivityMs).toBeLessThanOrEqual(60_000);
  });

  it('that is half-open is noticed by its silence, and does not count as heard', async () => {
    // Also the watches after it: a server that accepts and never answers.
    const heal = fail('watch', { holdUntil: new Promise(() => undefined) });
    const watches = subject.count('watch');
    subject.proxy.disturb('configmaps', 'silence');
    await moreThan(watches + 1, 'watch');
    expect(subject.informer.silentMs).toBeGreaterThan(inactivityMs);
    heal();
    await changeEverything();
    await subject.holdsTheTruth();
  });

  it('of a quiet kind counts as heard whenever it is opened again', async () => {
    const watches = subject.count('watch');
    await moreThan(watches + 2, 'watch');
    expect(subject.informer.silentMs).toBeLessThan(2 * inactivityMs);
  });
});

const refusals: readonly Fault[] = [
  { answer: 401 },
  { answer: 403 },
  { answer: 429 },
  { answer: 500 },
  { answer: 503 },
  'reset',
  'drop reply',
];

describe('a watch that is refused', () => {
  it.each<Fault>([...refusals, { answer: 410 }])(
    'with %j is opened when it may be',
    async (fault) => {
      const watches = subject.count('watch');
      const heal = fail('watch', fault);
      subject.proxy.disturb('configmaps', 'reset');
      await changeEverything();
      await moreThan(watches + 2, 'watch');
      heal();
      await subject.holdsTheTruth();
    },
  );
});

describe('a list that is refused', () => {
  it.each<Fault>([...refusals, { answer: 410 }])(
    'with %j is made when it may be',
    async (fault) => {
      const lists = subject.count('list');
      const heal = fail('list', fault);
      subject.proxy.disturb('configmaps', { error: 410 });
      await changeEverything();
      await moreThan(lists + 2, 'list');
      heal();
      await subject.holdsTheTruth();
    },
  );

  it('keeps the informer from calling itself synced', async () => {
    const { kubeconfig } = sharedControlPlane();
    const other = await informerBehindProxy(kubeconfig);
    const heal = other.proxy.rule(({ verb }) => (verb === 'list' ? { answer: 503 } : undefined));
    const started = other.informer.start();
    await eventually(() => expect(other.count('list')).toBeGreaterThan(2));
    expect(other.informer.synced).toBe(false);
    expect(other.count('watch')).toBe(0);
    heal();
    await started;
    expect(other.informer.synced).toBe(true);
    await other.stop();
  });
});

describe('a server in trouble', () => {
  it('is asked again after the time that it names', async () => {
    const heal = fail('watch', { answer: 429, retryAfterSeconds: 2 });
    subject.proxy.disturb('configmaps', 'reset');
    const watches = subject.count('watch');
    await moreThan(watches, 'watch');
    const refusedAt = performance.now();
    heal();
    await moreThan(watches + 1, 'watch');
    expect(performance.now() - refusedAt).toBeGreaterThan(1_900);
  });

  /** The waits between the first seven watches of an informer, each of which `disturb` ends. They are not waited for. */
  async function waitsOfSevenWatches(disturb: (other: InformerBehindProxy) => Disposable) {
    const waits: number[] = [];
    const timers: Timers = {
      after(ms, callback) {
        if (other.count('watch') < 7) waits.push(ms);
        const immediate = setImmediate(callback);
        return () => clearImmediate(immediate);
      },
    };
    const { kubeconfig } = sharedControlPlane();
    const other = await informerBehindProxy(kubeconfig, { backoffMs: 1_000, timers });
    using _disturbance = disturb(other);
    await other.informer.start();
    await eventually(() => expect(other.count('watch')).toBeGreaterThanOrEqual(7));
    await other.stop();
    return waits;
  }

  const disturbances: Record<string, (other: InformerBehindProxy) => Disposable> = {
    'rejects every version as expired': ({ proxy }) => {
      const heal = proxy.rule(({ verb }) => (verb === 'watch' ? { answer: 410 } : undefined));
      return { [Symbol.dispose]: heal };
    },
    'answers every watch with an error': ({ proxy }) => {
      const heal = proxy.rule(({ verb }) => (verb === 'watch' ? { answer: 503 } : undefined));
      return { [Symbol.dispose]: heal };
    },
    'ends every watch at once': ({ proxy }) => {
      const ending = setInterval(() => proxy.disturb('configmaps', 'end'), 10);
      return { [Symbol.dispose]: () => clearInterval(ending) };
    },
  };
  it.each(Object.entries(disturbances))(
    'that %s gets at most six watches in four seconds',
    async (_, disturb) => {
      const waits = await waitsOfSevenWatches(disturb);
      expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(4_000);
    },
  );
});

describe('stopping', () => {
  it.each<Fault>([
    { answer: 429, retryAfterSeconds: 60 },
    { holdUntil: new Promise(() => undefined) },
  ])('does not wait for a server that answers %j', async (fault) => {
    fail('list', fault);
    const lists = subject.count('list');
    subject.proxy.disturb('configmaps', { error: 410 });
    await moreThan(lists, 'list');
    const began = performance.now();
    await subject.informer.stop();
    expect(performance.now() - began).toBeLessThan(500);
    expect(subject.proxy.openWatches('configmaps')).toBe(0);
  });
});
