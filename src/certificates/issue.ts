// Makes the certificate authority of an installation, and signs the serving certificates of providers with it.
// ECDSA with P-256, which every TLS library supports, and whose signatures are cheap to make and to verify.
import 'reflect-metadata';
import { createPrivateKey, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** Both as PEM. */
export interface CertifiedKey {
  readonly certificate: string;
  readonly key: string;
}

export interface Wanted {
  readonly name: string;
  /** An IP address that it is valid for, too. */
  readonly address?: string;
  readonly expiresAt: Date;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const authorityLifeMs = 10 * 365 * 24 * 60 * 60 * 1_000;
/** Clocks of other machines may be behind. */
const skewMs = 60 * 60 * 1_000;

/** @returns a new authority that signs only serving certificates, valid for ten years */
export async function makeAuthority(now: Date): Promise<CertifiedKey> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // Unique, because verifiers look authorities up by name, and two are trusted during a replacement.
    name: `CN=Fairlead providers ${now.toISOString()}`,
    notBefore: new Date(now.getTime() - skewMs),
    notAfter: new Date(now.getTime() + authorityLifeMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pemOf(certificate), key: await exportKey(keys.privateKey) };
}

/** @returns a certificate for this one server, with a new key; it does not outlive the authority */
export async function issueCertificate(
  authority: CertifiedKey,
  { name, address, expiresAt }: Wanted,
  now: Date,
): Promise<CertifiedKey> {
  const keys = await newKeys();
  const issuer = new X509Certificate(authority.certificate);
  const certificate = await X509CertificateGenerator.create({
    // The name may be longer than a common name may be.
    subject: 'O=Fairlead',
    issuer: issuer.subjectName,
    notBefore: new Date(now.getTime() - skewMs),
    notAfter: expiresAt < issuer.notAfter ? expiresAt : issuer.notAfter,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: name },
        ...(address === undefined ? [] : [{ type: 'ip' as const, value: address }]),
      ]),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: pemOf(certificate), key: await exportKey(keys.privateKey) };
}

function newKeys() {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

/** @throws when the text is not a key with P-256 */
async function importKey(key: string) {
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  return await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}
