// Pure. Computes the wanted objects of a provider and their fingerprint.
import type { Build } from '../../crds/build.ts';
import { defaultTimeoutSeconds } from '../../domain/event.ts';
import { sha256Hex } from '../../domain/identity.ts';
import type { PodScheduling } from '../../domain/providers/pod-scheduling.ts';
import type { Clock } from '../../lib/clock.ts';
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import { type DeploymentOptions, deployment } from '../../providers/workloads/deployment.ts';
import { disruptionBudget } from '../../providers/workloads/disruption.ts';
import { apiVersion, label } from '../../store/kinds.ts';
import { deploymentNameOf } from '../../store/providers/store.ts';
import { type CertificateSettings, certificateFor } from './certificate.ts';
import type { Observed } from './observe.ts';
import { podSettingsOf } from './settings.ts';

/** Inputs of the manifest besides the observed state. */
export interface ManifestDeps {
  /** Image of Fairlead itself. */
  readonly image: string;
  /** Base URLs of the internal listener and of Fairlead, as pods reach them. */
  readonly artifactsUrl: string;
  readonly fairleadUrl: string;
  /** Id of the key that signs tokens: pods must not keep tokens of a replaced key. */
  readonly keyId: string;
  /** How long the pods of a version must be ready before it takes over. */
  readonly minReadySeconds: number;
  /** The current pull credentials of the image. */
  readonly pullConfig?: (() => string) | undefined;
  /** Set by the administrator for all pods of tenants. */
  readonly scheduling?: PodScheduling | undefined;
  readonly certificates: Certificates;
  readonly clock: Pick<Clock, 'now'>;
}

/** Signs the certificates with which pods serve events. */
export interface Certificates {
  /** Fingerprint of the authority that signs. */
  readonly signing: string;
  /** Milliseconds; default 90 days. */
  readonly lifeMs?: number | undefined;
  issue(wanted: {
    readonly name: string;
    readonly expiresAt: Date;
  }): Promise<{ readonly certificate: string; readonly key: string }>;
}

/** @returns a fingerprint of the wanted objects, which depend on the version and on the current image and addresses */
export function manifestText(
  observed: Observed,
  deps: ManifestDeps,
  certificate = currentCertificate(observed, deps),
): string {
  const options = { ...optionsFor(observed, deps), certificate };
  const manifest = { deployment: deployment(options), budget: disruptionBudget(options) };
  return sha256Hex(canonicalJson(manifest as unknown as JsonObject)).slice(0, 32);
}

export function certificateSettings({ certificates }: ManifestDeps): CertificateSettings {
  return { authority: certificates.signing, lifeMs: certificates.lifeMs };
}

function currentCertificate(observed: Observed, deps: ManifestDeps) {
  return certificateFor(observed, certificateSettings(deps), deps.clock.now());
}

export function optionsFor(observed: Observed, deps: ManifestDeps): DeploymentOptions {
  const { provider, organization, build } = observed;
  const { image, artifactsUrl, fairleadUrl, keyId, minReadySeconds, pullConfig, scheduling } = deps;
  const { metadata, spec } = provider;
  const { name, namespace = '', uid = '' } = metadata;
  const { version = '', replicas = 1, resources } = spec;
  const owned = deploymentNameOf(spec.provider);
  return {
    name: owned,
    namespace,
    labels: { [label.managedBy]: 'fairlead', [label.provider]: spec.provider },
    owner: { apiVersion, name, uid },
    build: build === undefined ? undefined : ownerOf(build),
    provider: spec.provider,
    organization: organization?.spec.externalId ?? '',
    version,
    replicas,
    minReadySeconds,
    image,
    artifactsUrl,
    fairleadUrl,
    artifactDigest: build?.status?.artifact?.digest ?? '',
    // Unique to this Provider object: the Secret of a deleted one of the same name may still exist until its deletion.
    secretName: `${owned}-${version.replace('.', '-')}-${sha256Hex(`${uid}/${keyId}`).slice(0, 8)}`,
    certificate: currentCertificate(observed, deps),
    pullConfig: pullConfig?.(),
    handlerSeconds: handlerSecondsOf(build),
    settings: podSettingsOf({ provider, build }),
    resources,
    scheduling,
  };
}

function ownerOf({ metadata: { name, uid = '' } }: Build) {
  return { apiVersion, name, uid };
}

function handlerSecondsOf(build: Observed['build']): number {
  const types = build?.status?.types ?? [];
  return Math.max(0, ...types.map((type) => type.timeoutSeconds ?? defaultTimeoutSeconds));
}
