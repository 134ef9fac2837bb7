// Which addresses receive no events and no other requests, in every process that sends any.
import type { DispatchOptions } from '../events/dispatch.ts';
import { apiServerAddresses } from '../kube/api-server-addresses.ts';
import type { ClusterAccess } from '../kube/config.ts';
import { cidrOf } from '../lib/cidr.ts';
import type { AppContext } from './context.ts';
import type { ServiceSettings } from './settings.ts';

type Server = Pick<ClusterAccess, 'server'>;

/** Returns the configured CIDRs and those of the API server. @throws KubeError */
export async function clusterCidrsOf(
  { settings, kubeDeps }: Pick<AppContext, 'settings' | 'kubeDeps'>,
  { server }: Server,
): Promise<readonly string[]> {
  const discovered = await apiServerAddresses(kubeDeps.client, server);
  return [...(settings.tenancy?.clusterCidrs ?? []), ...discovered.map(cidrOf)];
}

export function destinationRules(
  { loopbackProviders: loopback }: Pick<ServiceSettings, 'loopbackProviders'>,
  { server, clusterCidrs }: Server & { readonly clusterCidrs: readonly string[] },
): Pick<DispatchOptions, 'loopback' | 'refused' | 'clusterCidrs'> {
  return {
    loopback,
    refused: [new URL(server).hostname],
    // In development, providers and the API server are on this machine.
    clusterCidrs: loopback === true ? [] : clusterCidrs,
  };
}
