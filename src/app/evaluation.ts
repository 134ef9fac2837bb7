// Runs the issuer of the evaluation mode. A production image contains neither this file nor its imports.
import { mkdirSync } from 'node:fs';
import type { IssuerSettings } from '../http/auth/issuer-settings.ts';
import { audience, clientId, consoleClientId } from '../issuer/identity.ts';
import { algorithm, makeSigningKey, writeSigningKey } from '../issuer/keys.ts';
import { startIssuer } from '../issuer/server.ts';
import { createKubeClient } from '../kube/client.ts';
import type { ClusterAccess } from '../kube/config.ts';
import type { Log } from '../lib/log.ts';
import { keepKey, systemKeys } from '../store/system.ts';
import type { Config } from './config/index.ts';

/**
 * An issuer that trusts any login, on the loopback of this pod: whoever may forward its port, or run a command in it, can
 * get any token. Its key is a Secret, so that tokens survive the pod.
 */
export async function evaluationIssuer(
  stack: AsyncDisposableStack,
  { config, cluster, log }: { config: Config; cluster: ClusterAccess; log: Log },
): Promise<IssuerSettings> {
  const { dataFolder, port: apiPort, issuerPort: port, systemNamespace: namespace } = config;
  const client = createKubeClient(cluster);
  const key = await keepKey(client, { namespace, name: systemKeys.evaluation }, makeSigningKey);
  await client.close();
  mkdirSync(dataFolder, { recursive: true });
  writeSigningKey(dataFolder, key);
  const { issuer, close } = await startIssuer({ dataFolder, port, apiPort, log });
  stack.defer(close);
  log.warn({}, 'Evaluation mode: anyone with access to this pod can get any token');
  return localIssuerSettings(issuer);
}

/** @returns what the service trusts of an issuer that this project runs itself */
export function localIssuerSettings(issuer: string): IssuerSettings {
  return {
    issuer,
    audience,
    algorithms: [algorithm],
    organizationClaim: 'org_id',
    rolesClaim: 'roles',
    platform: true,
    cli: { clientId },
    console: { clientId: consoleClientId },
  };
}

/** @returns what the local default trusts of its issuer: on one's own machine there are no strangers to limit */
export function developmentIssuerSettings(issuer: string): IssuerSettings {
  return {
    ...localIssuerSettings(issuer),
    maxOrganizations: Number.POSITIVE_INFINITY,
    organizationsPerHour: Number.POSITIVE_INFINITY,
  };
}
