// Reads the authorities that an administrator names for a provider that runs elsewhere.
import { certificatesIn, fingerprintOf } from '../domain/providers/serving-certificate.ts';

/** @returns the certificates as PEM */
export function caBundleText(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

/** @returns the reason why the bundle is not usable; undefined when it is */
export function caBundleProblem(base64: string): string | undefined {
  const certificates = certificatesIn(caBundleText(base64));
  if (certificates.length === 0) {
    return 'The caBundle contains no certificate: it must be PEM text, encoded as Base64';
  }
  const bad = certificates.findIndex((each) => !isCertificate(each));
  return bad === -1 ? undefined : `Certificate ${bad + 1} of the caBundle cannot be read`;
}

function isCertificate(pem: string): boolean {
  try {
    return fingerprintOf(pem) !== '';
  } catch {
    return false;
  }
}
