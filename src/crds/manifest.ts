// Builds complete CustomResourceDefinition objects from declared kinds, for installation and for `npm run generate`.
import type { z } from 'zod';
import { sha256Hex } from '../domain/identity.ts';
import { canonicalJson, type JsonObject } from '../lib/json.ts';
import { type CelRule, group, type KindDefinition, version } from './define.ts';
import { kinds } from './index.ts';
import { type StructuralSchema, structural } from './structural.ts';

/** Hash of the generated `spec`: equal hashes need no write. */
export const contentHashAnnotation = 'fairlead.dev/content-hash';
/** The Fairlead release of the definition, so that an older release does not remove fields. */
const releaseLabel = 'app.kubernetes.io/version';

export interface CrdManifest {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly annotations: Record<string, string>;
  };
  readonly spec: JsonObject;
}

type AnyKind = KindDefinition<z.ZodType, z.ZodType>;

/** @param release version of the package, `major.minor.patch` @throws TypeError when a schema cannot be installed */
export function crdManifest(definition: AnyKind, release: string): CrdManifest {
  const spec = crdSpec(definition);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${definition.plural}.${group}`,
      labels: { 'app.kubernetes.io/part-of': 'fairlead', [releaseLabel]: release },
      annotations: { [contentHashAnnotation]: sha256Hex(canonicalJson(spec)).slice(0, 32) },
    },
    spec,
  };
}

function crdSpec(definition: AnyKind): JsonObject {
  const { kind, plural, singular, shortNames, namespaced, columns, selectableFields } = definition;
  const { scale } = definition;
  const spec = {
    group,
    names: {
      kind,
      listKind: `${kind}List`,
      plural,
      singular,
      shortNames,
      categories: ['fairlead'],
    },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: objectSchema(definition) },
        subresources: { status: {}, ...(scale === undefined ? {} : { scale: scalePaths(scale) }) },
        additionalPrinterColumns: columns,
        selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })),
      },
    ],
  };
  // The round trip gives plain JSON: it resolves read-only arrays and absent members.
  return JSON.parse(JSON.stringify(spec)) as JsonObject;
}

function scalePaths({ spec, status, labelSelector }: NonNullable<AnyKind['scale']>): JsonObject {
  return {
    specReplicasPath: spec,
    statusReplicasPath: status,
    labelSelectorPath: labelSelector,
  };
}

function metadataSchema({ longestName = 63 }: AnyKind): StructuralSchema {
  return {
    type: 'object',
    properties: {
      // Bounded, because the API server estimates the worst-case cost of CEL rules about the name.
      name: { type: 'string', maxLength: longestName },
      // Without it, the API server completes a copy of the schema whenever it evaluates rules of the whole object.
      generateName: { type: 'string' },
    },
  };
}

function objectSchema(definition: AnyKind): StructuralSchema {
  const { description, spec, status, rules = [] } = definition;
  return {
    description,
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'Version of the schema of this object.' },
      kind: { type: 'string', description: 'Kind of this object.' },
      metadata: metadataSchema(definition),
      spec: {
        description: 'Desired state of the object.',
        ...structural(spec, `${definition.kind}.spec`),
      },
      status: {
        description: 'Observed state of the object. Only Fairlead writes it.',
        ...structural(status, `${definition.kind}.status`),
        // One owner: the API server otherwise records the owner of every field with every write, which is a fifth of its work.
        'x-kubernetes-map-type': 'atomic',
      },
    },
    ...validations(rules),
  };
}

function validations(rules: readonly CelRule[]): Partial<StructuralSchema> {
  return rules.length === 0 ? {} : { 'x-kubernetes-validations': [...rules] };
}

/** @returns the definitions of every kind, in the order of `kinds` */
export function crdManifests(release: string): readonly CrdManifest[] {
  return kinds.map((kind) => crdManifest(kind, release));
}
