// Pure. Chooses the certificate of a version: the one that its Deployment names already, or a new one when that must be
// renewed. Nothing is read from the Secret, which only the pods can read.
import { sha256Hex } from '../../domain/identity.ts';
import { expiryOf, renewalOf, type ServingCertificate } from '../../domain/serving-certificate.ts';
import { certificateAnnotation } from '../../providers/workloads/serving-certificate.ts';
import { label } from '../../store/kinds.ts';
import { deploymentNameOf } from '../../store/providers/store.ts';
import type { Deployment, Observed } from './observe.ts';

export interface CertificateSettings {
  /** Fingerprint of the authority that signs. */
  readonly authority: string;
  readonly lifeMs?: number | undefined;
}

/** @returns the certificate to run with now; every pass of a day answers the same */
export function certificateFor(
  { provider, deployment }: Pick<Observed, 'provider' | 'deployment'>,
  { authority, lifeMs }: CertificateSettings,
  now: Date,
): ServingCertificate {
  const { uid = '' } = provider.metadata;
  const { provider: name, version = '' } = provider.spec;
  const at = (expiresAt: string): ServingCertificate => {
    const identity = [uid, version, authority, expiresAt].join('/');
    const secretName = `${deploymentNameOf(name)}-tls-${sha256Hex(identity).slice(0, 12)}`;
    return { secretName, authority, expiresAt };
  };
  const held = certificateOf(deployment);
  const isOfVersion = deployment?.spec?.template?.metadata?.labels?.[label.version] === version;
  const isCurrent = held !== undefined && isOfVersion && held.authority === authority;
  if (isCurrent && renewalAt(held.expiresAt, uid, lifeMs) > now) return at(held.expiresAt);
  return at(expiryOf(now, lifeMs).toISOString());
}

/** @returns when to renew a certificate of this holder */
export function renewalAt(expiresAt: string, uid: string, lifeMs?: number): Date {
  const spread = Number.parseInt(sha256Hex(uid).slice(0, 4), 16) / 0x1_00_00;
  return renewalOf(new Date(expiresAt), spread, lifeMs);
}

/** @returns the certificate with which the pods of a Deployment serve; undefined for one of release 0.1.0 */
export function certificateOf(
  deployment: Deployment | undefined,
): Omit<ServingCertificate, 'secretName'> | undefined {
  const annotations = deployment?.spec?.template?.metadata?.annotations ?? {};
  const authority = annotations[certificateAnnotation.authority];
  const expiresAt = annotations[certificateAnnotation.expiresAt] ?? '';
  if (authority === undefined || Number.isNaN(Date.parse(expiresAt))) return undefined;
  return { authority, expiresAt };
}
