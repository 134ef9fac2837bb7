// Installs the definitions of this checkout, for tests of parts that no Fairlead starts.
import manifest from '../../package.json' with { type: 'json' };
import { crdManifests } from '../../src/crds/manifest.ts';
import type { KubeClient } from '../../src/kube/api.ts';
import { installCrds } from '../../src/kube/crd-installer.ts';
import { silentLog } from '../../src/lib/log.ts';

export function installDefinitions(client: KubeClient): Promise<void> {
  return installCrds(client, crdManifests(manifest.version), { log: silentLog });
}
