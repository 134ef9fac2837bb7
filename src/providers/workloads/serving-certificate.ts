// The certificate with which the pod of a provider serves events: its Secret, volume and annotations. Pure.
import type { ServingCertificate } from '../../domain/providers/serving-certificate.ts';

/** Port for events over TLS. Only pods with a certificate listen on it. */
export const securePort = 8443;

/** On the pods of a Deployment: the facts about their certificate, whose Secret the controller may not read. */
export const certificateAnnotation = {
  authority: 'fairlead.dev/certificate-authority',
  expiresAt: 'fairlead.dev/certificate-expires-at',
} as const;

const name = 'certificate';
const folder = '/run/fairlead/certificate';
const files = { certificate: 'tls.crt', key: 'tls.key' } as const;

export const certificateMount = { name, mountPath: folder, readOnly: true };

export function certificateVolume({ secretName }: ServingCertificate) {
  // Readable by the group of the pod, and by nobody else.
  return { name, secret: { secretName, defaultMode: 0o440 } };
}

/** The part of a pod template that names a certificate. */
export function certificateTemplate(certificate: ServingCertificate) {
  return {
    metadata: { annotations: certificateAnnotations(certificate) },
    spec: { volumes: [certificateVolume(certificate)] },
  };
}

export function certificateAnnotations({ authority, expiresAt }: ServingCertificate) {
  return {
    [certificateAnnotation.authority]: authority,
    [certificateAnnotation.expiresAt]: expiresAt,
  };
}

/** Flags of the runtime. */
export const certificateFlags = [
  ...['--secure-port', `${securePort}`],
  ...['--certificate', `${folder}/${files.certificate}`, '--key', `${folder}/${files.key}`],
];

/** @param holder metadata of an object of the same version */
export function certificateSecret<M extends { readonly name: string }>(
  holder: M,
  { secretName }: ServingCertificate,
  { certificate, key }: { readonly certificate: string; readonly key: string },
) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...holder, name: secretName },
    type: 'Opaque',
    immutable: true,
    stringData: { [files.certificate]: certificate, [files.key]: key },
  };
}
