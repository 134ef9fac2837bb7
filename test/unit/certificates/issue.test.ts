// The certificates as OpenSSL reads them.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { issueCertificate, makeAuthority } from '../../../src/certificates/issue.ts';

const now = new Date('2026-01-01T00:00:00Z');
const expiresAt = new Date('2026-04-01T00:00:00Z');
const name = `${'p'.repeat(40)}.fl-acme-0123456789ab.fairlead.internal`;
const authority = await makeAuthority(now);
const root = new X509Certificate(authority.certificate);

it('has an authority that signs certificates, for ten years', () => {
  expect(root.ca).toBe(true);
  expect(root.verify(root.publicKey)).toBe(true);
  expect(root.checkPrivateKey(createPrivateKey(authority.key))).toBe(true);
  expect(root.validFromDate < now).toBe(true);
  expect(root.validToDate).toEqual(new Date('2035-12-30T00:00:00Z'));
  expect(root.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
});

it('signs a certificate for one server, with a key of its own', async () => {
  const issued = await issueCertificate(authority, { name, expiresAt }, now);
  const certificate = new X509Certificate(issued.certificate);
  expect(certificate.checkIssued(root)).toBe(true);
  expect(certificate.verify(root.publicKey)).toBe(true);
  expect(certificate.ca).toBe(false);
  expect(certificate.subjectAltName).toBe(`DNS:${name}`);
  expect(certificate.keyUsage, 'serverAuth').toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(certificate.checkPrivateKey(createPrivateKey(issued.key))).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(authority.key))).toBe(false);
  expect(certificate.validToDate).toEqual(expiresAt);
  expect(certificate.validFromDate < now, 'Clocks of controllers may be behind').toBe(true);
});

it('signs no certificate that outlives the authority', async () => {
  const late = { name, expiresAt: new Date('2036-06-01T00:00:00Z') };
  const { certificate } = await issueCertificate(authority, late, now);
  expect(new X509Certificate(certificate).validToDate).toEqual(root.validToDate);
});

it('gives every authority a name of its own, which verifiers look them up by', async () => {
  const second = new X509Certificate(
    (await makeAuthority(new Date(now.getTime() + 1))).certificate,
  );
  expect(second.subject).not.toBe(root.subject);
});
