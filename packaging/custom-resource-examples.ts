// An example object of every kind for docs/custom-resources, with the names that Fairlead computes. Unit tests validate them
// against the schemas.
import { apiVersion } from '../src/crds/define.ts';
import type { KindName } from '../src/crds/kind-names.ts';
import {
  definitionNameOf,
  keyOf,
  objectNameOf,
  organizationOf,
  projectNameOf,
} from '../src/domain/identity.ts';
import { jobNameOf } from '../src/domain/providers/build.ts';

export interface ExampleObject {
  readonly apiVersion: string;
  readonly kind: KindName;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: object;
}

const issuer = 'https://id.example.org/realms/main';
const { namespace } = organizationOf(issuer, 'acme');
const provider = 'postgres';
const version = '20260214.093000';
const database = { provider, resource: 'database', name: 'orders' };

const objects = {
  Organization: {
    metadata: { name: namespace },
    spec: {
      issuer,
      externalId: 'acme',
      displayName: 'Acme',
      limits: { pods: 200, memory: '400Gi' },
    },
  },
  Project: {
    metadata: { name: projectNameOf('shop'), namespace },
    spec: { projectId: 'shop', displayName: 'Shop' },
  },
  ResourceDefinition: {
    metadata: { name: definitionNameOf(provider, 'database'), namespace },
    spec: {
      provider,
      resource: 'database',
      description: 'A database on the shared server.',
      schema: {
        type: 'object',
        required: ['size'],
        properties: { size: { type: 'integer', minimum: 1 } },
      },
      tags: ['sql'],
    },
  },
  Resource: {
    metadata: { name: objectNameOf(keyOf(database)), namespace },
    spec: {
      ...database,
      project: 'shop',
      config: { size: 2 },
      tags: ['production'],
    },
  },
  Provider: {
    metadata: { name: provider, namespace },
    spec: { provider, version, replicas: 2 },
  },
  Build: {
    metadata: { name: jobNameOf(provider, version), namespace },
    spec: {
      provider,
      version,
      source: {
        digest: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        size: 20_480,
      },
    },
  },
} as const satisfies Readonly<Record<KindName, Pick<ExampleObject, 'metadata' | 'spec'>>>;

/** @returns a complete object of a kind */
export function exampleOf(kind: KindName): ExampleObject {
  return { apiVersion, kind, ...objects[kind] };
}
