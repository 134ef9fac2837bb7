// An informer whose list takes several pages, while what it lists goes on changing.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { eventually } from '../../support/eventually.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import {
  type InformerBehindProxy,
  informerBehindProxy,
} from '../../support/informer-behind-proxy.ts';

// Three pages.
const names = Array.from({ length: 1_100 }, (_, index) => `page-${String(index).padStart(4, '0')}`);

let subject: InformerBehindProxy;
let writer: InformerBehindProxy;

beforeAll(async () => {
  writer = await informerBehindProxy(sharedControlPlane().kubeconfig);
  await Promise.all(names.map((name) => writer.write(name)));
});
afterEach(() => subject.stop());
afterAll(async () => {
  await Promise.all([...names, 'page-new'].map((name) => writer.remove(name)));
  await writer.stop();
});

/** Makes an informer whose nth request for a page meets this fault. */
async function make(nth: number, fault: Fault): Promise<void> {
  subject = await informerBehindProxy(sharedControlPlane().kubeconfig);
  subject.proxy.rule(({ verb }) =>
    verb === 'list' && subject.count('list') === nth ? fault : undefined,
  );
}

describe('a list of several pages', () => {
  it('misses nothing that changes between two of them', async () => {
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
    changed.resolve();
    await started;
    await subject.holdsTheTruth();
    expect(subject.count('list')).toBe(3);
  });

  it.each<Fault>([{ answer: 410 }, { answer: 500 }])(
    'begins again when one of them meets %j, and is not in sync before',
    async (fault) => {
      await make(2, fault);
      await subject.informer.start();
      expect(subject.informer.size).toBeGreaterThanOrEqual(names.length - 2);
      await subject.holdsTheTruth();
      expect(subject.count('list')).toBe(5);
    },
  );
});
