// Builds the Secret with which a kubelet pulls Fairlead's image for a tenant pod, if the registry needs credentials. The
// name derives from the content, so new credentials give another Secret and another manifest. Pure.
import { sha256Hex } from '../../domain/identity.ts';

/** Content of a `.dockerconfigjson`; undefined if registries need no credentials, or nodes have them. */
export type PullConfig = string | undefined;

/** @param holder the Secret with the tokens of the same pod */
function pullSecretName(holder: string, config: string): string {
  return `${holder}-pull-${sha256Hex(config).slice(0, 8)}`;
}

/** @returns the fields of a pod spec that refer to the Secret */
export function pullSecretsOf(holder: string, config: PullConfig) {
  return config === undefined
    ? {}
    : { imagePullSecrets: [{ name: pullSecretName(holder, config) }] };
}

/** @returns the Secret, with the namespace, the labels and the owner of `holder` */
export function pullSecret<M extends { readonly name: string }>(holder: M, config: string) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...holder, name: pullSecretName(holder.name, config) },
    type: 'kubernetes.io/dockerconfigjson',
    immutable: true,
    stringData: { '.dockerconfigjson': config },
  };
}
