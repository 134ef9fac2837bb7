// Pure. Chooses the certificate of a version: the one that its Deployment names already, or a new one when that must be
// renewed. Nothing is read from the Secret, which only the pods can read.
import { sha256Hex } from '../../domain/identity.ts';
import {
  expiryOf,
  renewalOf,
  type ServingCertificate,
} from '../../domain/providers/serving-certificate.ts';
import { certificateAnnotation } from '../../providers/workloads/serving-certificate.ts';
import { label } from '../../store/kinds.ts';
import { deploymentNameOf } from '../../store/providers/store.ts';
import type { Deployment, Pod } from '../workloads.ts';
import type { Observed } from './observe.ts';

export interface CertificateSettings {
  /** Fingerprint of the authority that signs. */
  readonly authority: string;
  readonly lifeMs?: number | undefined;
}

/** The certificate of pods, as their annotations name it. */
type HeldCertificate = Omit<ServingCertificate, 'secretName'>;

/** @returns the certificate to run with now; every pass of a day answers the same */
export function certificateFor(
  { provider, deployment }: Pick<Observed, 'provider' | 'deployment'>,
  settings: CertificateSettings,
  now: Date,
): ServingCertificate {
  const { uid = '' } = provider.metadata;
  const held = certificateOf(deployment);
  const isOfVersion = versionOfDeployment(deployment) === provider.spec.version;
  if (held !== undefined && isOfVersion && !isDue(held, uid, settings, now)) {
    return withName(provider, held);
  }
  return newCertificateFor(provider, settings, now);
}

/** @returns a new one for the wanted version, made today */
export function newCertificateFor(
  provider: Observed['provider'],
  { authority, lifeMs }: CertificateSettings,
  now: Date,
): ServingCertificate {
  return withName(provider, { authority, expiresAt: expiryOf(now, lifeMs).toISOString() });
}

/** @returns a certificate of the wanted version with the name of its Secret */
export function withName(
  { metadata: { uid = '' }, spec: { provider, version = '' } }: Observed['provider'],
  held: HeldCertificate,
): ServingCertificate {
  const identity = [uid, version, held.authority, held.expiresAt].join('/');
  const secretName = `${deploymentNameOf(provider)}-tls-${sha256Hex(identity).slice(0, 12)}`;
  return { secretName, ...held };
}

/** @returns whether pods with it must be replaced: it expires soon, or another authority signs by now */
export function isDue(
  held: HeldCertificate,
  uid: string,
  { authority, lifeMs }: CertificateSettings,
  now: Date,
): boolean {
  return held.authority !== authority || renewalAt(held.expiresAt, uid, lifeMs) <= now;
}

/** @returns when to renew a certificate of this holder */
export function renewalAt(expiresAt: string, uid: string, lifeMs?: number): Date {
  const spread = Number.parseInt(sha256Hex(uid).slice(0, 4), 16) / 0x1_00_00;
  return renewalOf(new Date(expiresAt), spread, lifeMs);
}

/** @returns the certificate with which new pods of a Deployment serve */
export function certificateOf(deployment: Deployment | undefined): HeldCertificate | undefined {
  return heldIn(deployment?.spec?.template?.metadata?.annotations);
}

/** @returns the certificate with which a pod serves */
export function certificateOfPod({ metadata }: Pod): HeldCertificate | undefined {
  return heldIn(metadata.annotations);
}

/** @returns the version of new pods */
export function versionOfDeployment(deployment: Deployment | undefined): string | undefined {
  return deployment?.spec?.template?.metadata?.labels?.[label.version];
}

function heldIn(annotations: Readonly<Record<string, string>> = {}): HeldCertificate | undefined {
  const authority = annotations[certificateAnnotation.authority];
  const expiresAt = annotations[certificateAnnotation.expiresAt] ?? '';
  if (authority === undefined || Number.isNaN(Date.parse(expiresAt))) return undefined;
  return { authority, expiresAt };
}
