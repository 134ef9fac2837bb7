// Publishes the certificates of the authorities that the controllers trust, in a ConfigMap of Fairlead's namespace: the one
// that signs, and during a replacement those before it. Their private keys are in a Secret, or nowhere any more.
import { certificatesIn, fingerprintOf } from '../domain/providers/serving-certificate.ts';
import { allow, type KubeClient, type KubeObject, type ScopedRules } from '../kube/api.ts';
import { configMapKind } from './kinds.ts';
import { maxRounds, put, read } from './put.ts';

export const authoritiesName = 'fairlead-provider-authorities';
const dataKey = 'ca.crt';

/** `npm run generate` generates roles from these. */
export const authorityRules = {
  system: [
    allow(['get', 'update'], '', ['configmaps'], [authoritiesName]),
    allow(['create'], '', ['configmaps']),
  ],
} satisfies ScopedRules;

/** For a process that trusts the authorities, and makes none. */
export const trustingRules = {
  system: [allow(['get'], '', ['configmaps'], [authoritiesName])],
} satisfies ScopedRules;

interface AuthorityStorage {
  readonly client: KubeClient;
  readonly namespace: string;
}

interface AuthorityMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Adds a certificate to the published ones, and removes those that nothing uses.
 * @param keeps whether another certificate stays, by its fingerprint
 * @returns all published certificates as PEM; the given one is the first
 * @throws KubeError
 */
export async function publishAuthority(
  { client, namespace }: AuthorityStorage,
  certificate: string,
  keeps: (fingerprint: string) => boolean,
): Promise<readonly string[]> {
  const ref = { namespace, name: authoritiesName };
  const own = fingerprintOf(certificate);
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await read<AuthorityMap>(client, configMapKind, ref);
    const published = found?.data?.[dataKey] ?? '';
    const others = usableCertificates(published).filter(
      (each) => fingerprintOf(each) !== own && keeps(fingerprintOf(each)),
    );
    const all = [certificate, ...others];
    const text = all.join('');
    if (published === text) return all;
    const metadata = { ...ref, ...found?.metadata };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [dataKey]: text } };
    if ((await put<AuthorityMap>(client, configMapKind, object)) !== undefined) return all;
  }
  throw new Error(`Another client keeps changing the ConfigMap ${authoritiesName}`);
}

/** @returns the published certificates as PEM; none before the first controller. @throws KubeError */
export async function publishedAuthorities({
  client,
  namespace,
}: AuthorityStorage): Promise<readonly string[]> {
  const ref = { namespace, name: authoritiesName };
  const found = await read<AuthorityMap>(client, configMapKind, ref);
  return usableCertificates(found?.data?.[dataKey] ?? '');
}

/** People edit ConfigMaps: a text that is no certificate must not stop every delivery. */
function usableCertificates(text: string): readonly string[] {
  return certificatesIn(text).filter((each) => {
    try {
      return fingerprintOf(each) !== '';
    } catch {
      return false;
    }
  });
}
