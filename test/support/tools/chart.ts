// Renders the chart with Helm and parses it into objects: Helm 3 or 4 from the search path, or built once.
import { findHelm, type Helm, render } from '../../../packaging/helm.ts';
import { type KubernetesObject, objectsIn } from '../../../packaging/plain-manifests.ts';

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly resources?: { readonly limits?: Readonly<Record<string, string>> };
}

export interface PodSpec {
  readonly serviceAccountName?: string;
  readonly containers: readonly Container[];
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly volumes?: readonly Readonly<Record<string, unknown>>[];
  readonly imagePullSecrets?: readonly unknown[];
  readonly topologySpreadConstraints?: readonly unknown[];
}

export interface ChartObject extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>> & {
    readonly replicas?: number;
    readonly strategy?: { readonly type: string };
    readonly template?: { readonly metadata: KubernetesObject['metadata']; readonly spec: PodSpec };
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly rules?: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface Rendered {
  readonly text: string;
  readonly objects: readonly ChartObject[];
  /** @throws Error when there is none */
  readonly get: (kind: string, name: string) => ChartObject;
  readonly find: (kind: string, name: string) => ChartObject | undefined;
  /** The plain-text environment of the only container of a Deployment. */
  readonly environment: (deployment: string) => Readonly<Record<string, string>>;
  readonly pod: (deployment: string) => PodSpec;
}

/** Issuers and a bucket: the minimum of a production installation. */
export const forUse: readonly string[] = [
  ...set('auth.issuers[0].issuer', 'https://id.example.org'),
  ...set('auth.issuers[0].audience', 'fairlead'),
  ...set('auth.issuers[0].organization', 'acme'),
  ...set('auth.issuers[0].defaultRole', 'viewer'),
];
export const withBucket: readonly string[] = [...forUse, ...set('artifacts.s3.bucket', 'fairlead')];

export function set(key: string, value: string | number | boolean): string[] {
  return ['--set', `${key}=${value}`];
}

/** @throws Error where there is neither Helm nor Go */
export async function requireHelm(): Promise<Helm> {
  const helm = await findHelm();
  if (helm === undefined) throw new Error('These tests need Helm, or Go to build it with.');
  return helm;
}

export async function rendered(helm: Helm, ...flags: readonly string[]): Promise<Rendered> {
  const text = await render(helm, flags);
  const objects = objectsIn(text) as ChartObject[];
  const find: Rendered['find'] = (kind, name) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name);
  const get: Rendered['get'] = (kind, name) => {
    const object = find(kind, name);
    if (object === undefined) throw new Error(`The chart renders no ${kind} ${name}`);
    return object;
  };
  const pod: Rendered['pod'] = (deployment) => {
    const { spec } = get('Deployment', deployment);
    if (spec?.template === undefined) throw new Error(`${deployment} has no pods`);
    return spec.template.spec;
  };
  return {
    text,
    objects,
    get,
    find,
    pod,
    environment(deployment) {
      const env = pod(deployment).containers.flatMap((container) => container.env ?? []);
      return Object.fromEntries(env.map(({ name, value = '' }) => [name, value]));
    },
  };
}
