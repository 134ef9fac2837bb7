// A refresh of an informer on a real API server: the cache proves that it is as new as the server, whatever its watch does.
import { afterEach, describe, expect, it } from 'vitest';
import { keyFor } from '../../../src/kube/api.ts';
import { KubeError } from '../../../src/kube/errors.ts';
import {
  type InformerBehindProxy,
  informerBehindProxy,
} from '../../support/faults/informer-behind-proxy.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

let fixture: InformerBehindProxy;

afterEach(() => fixture.stop());

const sizes = { 'a small cache, by a list': 500, 'a large cache, by its watch': 0 };

describe.each(Object.entries(sizes))('%s', (_name, relistedObjects) => {
  const opened = async () => {
    fixture = await informerBehindProxy(sharedControlPlane().kubeconfig, { relistedObjects });
    await fixture.informer.start();
    return fixture;
  };

  it('has what was written while its watch was half-open', async () => {
    const { informer, proxy, write, remove } = await opened();
    const gone = await write('gone');
    await informer.refresh(10_000);
    await eventually(() => expect(proxy.openWatches('configmaps')).toBe(1));
    proxy.disturb('configmaps', 'silence');
    const written = await write('unheard');
    await remove('gone');
    const { resourceVersion } = written.metadata;
    expect(informer.get(keyFor(written.metadata))?.metadata.resourceVersion).not.toBe(
      resourceVersion,
    );
    await informer.refresh(10_000);
    expect(informer.get(keyFor(written.metadata))?.metadata.resourceVersion).toBe(resourceVersion);
    expect(informer.get(keyFor(gone.metadata))).toBeUndefined();
    await fixture.holdsTheTruth();
  });

  it('proves that nothing has changed, although other kinds have', async () => {
    const { informer, count } = await opened();
    await informer.refresh(10_000);
    const before = count('watch');
    await informer.refresh(10_000);
    expect(count('watch') - before).toBeLessThanOrEqual(2);
  });

  it('fails after its deadline while the API server cannot be reached, and goes on after that', async () => {
    const { informer, proxy, write } = await opened();
    const restore = proxy.rule(() => 'reset');
    proxy.disturb('configmaps', 'reset');
    await expect(informer.refresh(500)).rejects.toThrow(KubeError);
    restore();
    const written = await write('later');
    await informer.refresh(20_000);
    expect(informer.get(keyFor(written.metadata))).toBeDefined();
  });
});
