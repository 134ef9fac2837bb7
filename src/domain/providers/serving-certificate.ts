// Pure. The names and the times of the certificates with which pods of providers serve events.
import { X509Certificate } from 'node:crypto';

/** The facts about a certificate that the controller reads without the Secret that holds it. */
export interface ServingCertificate {
  readonly secretName: string;
  /** Fingerprint of the authority that signed it. */
  readonly authority: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

const servingCertificateLifeMs = 90 * 24 * 60 * 60 * 1_000;

/**
 * The one name in the certificate of a provider. It contains the namespace, which is derived from the organization, so a pod
 * of another organization or provider has no certificate with it. `.internal` is reserved for private use: no DNS has it.
 */
export function serverNameOf(namespace: string, provider: string): string {
  return `${provider}.${namespace}.fairlead.internal`;
}

/** @returns the expiry of a certificate made now: the same for all passes of a day, which therefore make one certificate */
export function expiryOf(now: Date, lifeMs = servingCertificateLifeMs): Date {
  const grain = lifeMs / 90;
  return new Date(Math.floor(now.getTime() / grain) * grain + lifeMs);
}

/**
 * @param spread a number in [0, 1), constant for a holder: certificates made together are not renewed together
 * @returns the time of renewal: between two thirds and three quarters of its life
 */
export function renewalOf(
  expiresAt: Date,
  spread: number,
  lifeMs = servingCertificateLifeMs,
): Date {
  return new Date(expiresAt.getTime() - lifeMs / 3 + (spread * lifeMs) / 12);
}

/** @returns the certificates in a PEM text, one by one */
export function certificatesIn(pem: string): readonly string[] {
  const found = pem.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  return [...found].map(([text]) => `${text}\n`);
}

/** @returns the SHA-256 of a certificate in hexadecimal digits. @throws when it is none */
export function fingerprintOf(certificate: string): string {
  return new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase();
}
