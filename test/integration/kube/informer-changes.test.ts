// The calls of an informer's handlers, on a real API server behind a proxy that drops and delays changes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type InformerBehindProxy,
  informerBehindProxy,
} from '../../support/faults/informer-behind-proxy.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

let subject: InformerBehindProxy;
const names = ['kept', 'doomed', 'reborn', 'born'];

beforeEach(async () => {
  subject = await informerBehindProxy(sharedControlPlane().kubeconfig, { inactivityMs: 1_000 });
  await Promise.all(['kept', 'doomed', 'reborn'].map((name) => subject.write(name)));
  await subject.informer.start();
  await subject.holdsTheTruth();
});
afterEach(async () => {
  await Promise.all(names.map((name) => subject.remove(name)));
  await subject.stop();
});

/** Ends the watch. @returns what lets the next one be opened */
async function holdWatches(): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  subject.proxy.rule(({ plural, verb }) =>
    plural === 'configmaps' && verb === 'watch' ? { holdUntil: released.promise } : undefined,
  );
  subject.proxy.disturb('configmaps', 'end');
  await eventually(() => expect(subject.proxy.openWatches('configmaps')).toBe(0));
  return released.resolve;
}

describe('a handler', () => {
  it('that throws receives the same object again, without blocking others', async () => {
    const received: string[] = [];
    subject.informer.onChange((key) => {
      received.push(key);
      if (received.indexOf(key) === received.length - 1) throw new Error('not now');
    });
    for (const name of ['born', 'kept']) await subject.write(name);
    for (const name of ['doomed', 'reborn']) await subject.remove(name);
    await subject.holdsTheTruth();
    await eventually(() => {
      for (const name of ['born', 'kept', 'doomed', 'reborn']) {
        expect(received.filter((key) => key === `default/${name}`).length).toBeGreaterThan(1);
      }
    });
  });

  it('receives an own write with its watch event, although the cache has it already', async () => {
    const release = await holdWatches();
    const written = await subject.write('kept');
    subject.informer.remember(written);
    expect(subject.informer.get('default/kept')).toBe(written);
    expect(subject.received.get('default/kept')).not.toBe(written.metadata.resourceVersion);
    release();
    await subject.holdsTheTruth();
  });
});

describe('a change', () => {
  type Version = string | undefined;
  function changesOf(name: string): [before: Version, after: Version][] {
    const changes: [Version, Version][] = [];
    subject.informer.onChange((key, before, after) => {
      if (key !== `default/${name}`) return;
      changes.push([before?.metadata.resourceVersion, after?.metadata.resourceVersion]);
    });
    return changes;
  }
  const versionOf = (name: string) =>
    subject.informer.get(`default/${name}`)?.metadata.resourceVersion;

  it('has an old object unless it is an addition, and a new one unless it is a removal', async () => {
    const changes = changesOf('doomed');
    const first = versionOf('doomed');
    const { metadata } = await subject.write('doomed');
    await subject.remove('doomed');
    await subject.holdsTheTruth();
    expect(changes).toEqual([
      [undefined, first],
      [first, metadata.resourceVersion],
      [metadata.resourceVersion, undefined],
    ]);
  });

  it('of an own write has the old object that handlers received last', async () => {
    const first = versionOf('kept');
    const release = await holdWatches();
    const changes = changesOf('kept');
    for (let edit = 0; edit < 2; edit += 1) {
      subject.informer.remember(await subject.write('kept'));
    }
    release();
    await subject.holdsTheTruth();
    expect(changes.slice(1)).toEqual([[first, versionOf('kept')]]);
  });

  it('that replaced an object by one of the same name is a removal and an addition', async () => {
    const changes = changesOf('reborn');
    const first = versionOf('reborn');
    subject.proxy.disturb('configmaps', 'swallow next');
    await subject.remove('reborn');
    subject.proxy.disturb('configmaps', { error: 410 });
    await subject.write('reborn');
    await subject.holdsTheTruth();
    expect(changes.slice(1)).toEqual([
      [first, undefined],
      [undefined, versionOf('reborn')],
    ]);
  });
});
