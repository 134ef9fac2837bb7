// Authorities for tests: a real one, and one for tests in which nobody verifies a certificate.
import { issueCertificate, makeAuthority, type Wanted } from '../../src/certificates/issue.ts';
import { fingerprintOf } from '../../src/domain/serving-certificate.ts';
import type { Certificates } from '../../src/reconcilers/deployment/manifest.ts';

export const unsignedCertificates: Certificates = {
  signing: 'a'.repeat(64),
  issue: () => Promise.resolve({ certificate: 'certificate', key: 'key' }),
};

export interface TestAuthority extends Certificates {
  readonly certificate: string;
  issue(wanted: Wanted, now?: Date): Promise<{ certificate: string; key: string }>;
}

export async function testAuthority(made = new Date()): Promise<TestAuthority> {
  const own = await makeAuthority(made);
  return {
    certificate: own.certificate,
    signing: fingerprintOf(own.certificate),
    issue: (wanted, now = new Date()) => issueCertificate(own, wanted, now),
  };
}
