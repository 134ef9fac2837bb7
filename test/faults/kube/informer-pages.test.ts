// An informer whose list takes several pages while the objects change.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { forEachConcurrently } from '../../../src/store/parallel.ts';
import type { Fault } from '../../support/faults/fault-proxy.ts';
import {
  type InformerBehindProxy,
  informerBehindProxy,
} from '../../support/faults/informer-behind-proxy.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type OwnControlPlane, ownControlPlane } from '../../support/servers/control-plane.ts';

// Four pages: 50, 200, 500 and the rest.
const names = Array.from({ length: 1_100 }, (_, index) => `page-${String(index).padStart(4, '0')}`);

let controlPlane: OwnControlPlane;
let subject: InformerBehindProxy;
let writer: InformerBehindProxy;

beforeAll(async () => {
  // A separate control plane: pages are counted, and other files leave objects behind.
  controlPlane = await ownControlPlane();
  writer = await informerBehindProxy(controlPlane.kubeconfig);
  await forEachConcurrently(names, 32, async (name) => {
    await writer.write(name);
  });
});
afterEach(() => subject.stop());
afterAll(async () => {
  await writer?.stop();
  await controlPlane?.stop();
});

/** Makes an informer whose nth request for a page meets this fault. */
async function make(nth: number, fault: Fault): Promise<void> {
  subject = await informerBehindProxy(controlPlane.kubeconfig);
  subject.proxy.rule(({ verb }) =>
    verb === 'list' && subject.count('list') === nth ? fault : undefined,
  );
}

describe('a list of several pages', () => {
  it('misses no change between two of them', async () => {
    const changed = Promise.withResolvers<void>();
    await make(2, { holdUntil: changed.promise });
    const started = subject.informer.start();
    await eventually(() => expect(subject.count('list')).toBe(2));
    // On the page that was read, and on one that was not.
    for (const at of [0, 1_000]) {
      await subject.write(names[at] ?? '');
      await subject.remove(names[at + 1] ?? '');
    }
    await subject.write('page-new');
    expect(subject.informer.synced).toBe(false);
    // The first page is already in the cache, and not referenced elsewhere.
    expect(subject.informer.size).toBe(50);
    changed.resolve();
    await started;
    await subject.holdsTheTruth();
    expect(subject.count('list')).toBe(4);
  });

  it.each<Fault>([{ answer: 410 }, { answer: 500 }])(
    'starts over when one of them gets %j, and is not in sync before',
    async (fault) => {
      await make(2, fault);
      await subject.informer.start();
      expect(subject.informer.size).toBeGreaterThanOrEqual(names.length - 2);
      await subject.holdsTheTruth();
      expect(subject.count('list')).toBe(6);
    },
  );
});

describe('a repeated list', () => {
  it('keeps the cached object of an unchanged one, without a handler call', async () => {
    subject = await informerBehindProxy(controlPlane.kubeconfig);
    await subject.informer.start();
    await subject.holdsTheTruth();
    const cached = new Set(subject.informer.items());
    const changes: string[] = [];
    const end = subject.informer.onChange((key) => changes.push(key));
    changes.splice(0);
    subject.proxy.disturb('configmaps', { error: 410 });
    await subject.holdsTheTruth();
    expect(subject.count('list')).toBe(8);
    expect([...subject.informer.items()].filter((object) => !cached.has(object))).toEqual([]);
    expect(changes).toEqual([]);
    end();
  });

  it('removes nothing that exists while it is interrupted, and deleted objects afterwards', async () => {
    subject = await informerBehindProxy(controlPlane.kubeconfig);
    await subject.informer.start();
    await subject.holdsTheTruth();
    const before = subject.informer.size;
    const gone: string[] = [];
    subject.informer.onChange((key, _before, after) => {
      if (after === undefined) gone.push(key);
    });
    const lists = subject.count('list');
    const heal = subject.proxy.rule(({ verb }) =>
      verb === 'list' && subject.count('list') % 2 === lists % 2 ? { answer: 500 } : undefined,
    );
    subject.proxy.disturb('configmaps', 'swallow next');
    const last = names.at(-1) ?? '';
    await subject.remove(last);
    subject.proxy.disturb('configmaps', { error: 410 });
    await subject.write(names[2] ?? '');
    // Twice a first page, and a second one that is refused.
    await eventually(() => expect(subject.count('list')).toBeGreaterThanOrEqual(lists + 4));
    expect(gone).toEqual([]);
    expect(subject.informer.size).toBe(before);
    heal();
    await subject.holdsTheTruth();
    expect(gone).toEqual([`default/${last}`]);
  });
});
