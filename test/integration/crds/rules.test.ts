// The definitions on a real API server: what a person with kubectl may create, and what is refused in which words.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definitionNameOf, objectNameOf } from '../../../src/domain/identity.ts';
import {
  aBuild,
  aDefinition,
  anOrganization,
  aProject,
  aProvider,
  aResource,
  benchIn,
  dependencies,
  type Fixture,
  many,
  tuple,
  type Written,
} from '../../support/fixtures/kubectl-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await benchIn('crd-rules');
});
afterAll(() => fixture?.close());

describe('accepted', () => {
  const longName = `a${'x'.repeat(198)}z`;
  const cases: Record<string, Written> = {
    'a resource': aResource({
      tags: ['a', 'b'],
      dependencies: dependencies(64),
      config: { any: [1, { deep: null }] },
    }),
    'provider, type, name and config alone': aResource({
      project: undefined,
      lifecycle: undefined,
    }),
    'a resource with every option that goes together': aResource({
      ...{ protected: true, paused: true, deletionPolicy: 'Orphan', replace: 0 },
    }),
    'a resource that expires, and says that it is not protected': aResource({
      ...{ protected: false, expiresAt: '2099-01-01T01:00:00+01:00' },
    }),
    'a name of 200 characters': aResource({ name: longName }),
    'a name with every legal character': aResource({ name: 'A..B__c--d.1' }),
    'a provider with runs of dashes': aResource({ provider: 'a---b' }),
    'a name with dots': aResource(
      { name: 'eu.west-1.orders' },
      'postgres.database.eu.west-1.orders',
    ),
    'an object name of 253 characters': aResource({
      provider: 'p'.repeat(40),
      resource: 't'.repeat(63),
      name: 'x'.repeat(148),
    }),
    'a name that makes an object name of 254 characters': aResource({
      provider: 'p'.repeat(40),
      resource: 't'.repeat(63),
      name: 'x'.repeat(149),
    }),
    'a name in capitals': aResource({ name: 'Orders' }),
    'a name that ends like a hash': aResource({ name: 'x-0123456789abcdef' }),
    'a type that ends with a dash': aResource({ resource: 'table-' }),
    'a type that ends with an underscore': aDefinition({ resource: 'table_' }),
    'a definition with a schema': aDefinition({ schema: { type: 'object', properties: {} } }),
    'a definition with retries': aDefinition({ retry: { attempts: 20, maxDelaySeconds: 600 } }),
    'a provider that is not deployed': aProvider(),
    'a provider that Fairlead runs': aProvider({ version: '20260101.000000', replicas: 2 }),
    'a provider with sizes': aProvider({
      version: '20260101.000000',
      replicas: 10,
      resources: { requests: { cpu: '0.5', memory: '1Gi' }, limits: { memory: '1Gi' } },
    }),
    'a provider with settings': aProvider({
      version: '20260101.000000',
      settingsSecret: 'from.vault',
      settings: {
        secret: 'provider-postgres-settings-0123abcd',
        revision: 'r1',
        values: { region: 'here', pool: { size: 3 } },
        entries: [
          { name: 'region', sensitive: false, setAt: '2026-01-31T12:00:00Z', setBy: 'ann' },
        ],
      },
    }),
    'a provider elsewhere': aProvider({ endpoint: 'http://127.0.0.1:8080/events?x=1' }),
    'a provider with an authority of its own': aProvider({
      endpoint: 'https://example.com',
      caBundle: 'bm9uZQ==',
    }),
    'a provider at an IPv6 address': aProvider({ endpoint: 'https://[::1]:8443' }),
    'a project': aProject({ managedBy: 'platform' }),
    'an organization': anOrganization('fl-acme-0123456789ab'),
    'a build': aBuild(),
  };

  it.each(Object.entries(cases))('%s', async (_name, body) => {
    await fixture.tryCreate(body);
  });
});

describe('refused on create', () => {
  const cases: Record<string, { body: Written; says: string }> = {
    'the name of the resource as the name of the object': {
      body: aResource({}, 'orders'),
      says: 'metadata.name: Invalid value: must be postgres.database.orders',
    },
    'the object name of another resource': {
      body: aResource({}, objectNameOf('postgres_database_customers')),
      says: 'metadata.name: Invalid value: must be postgres.database.orders',
    },
    'an object name with a hash that needs none': {
      body: aResource({}, `postgres-database-orders-${'0'.repeat(16)}`),
      says: 'metadata.name: Invalid value: must be postgres.database.orders',
    },
    'an object name without a hash that needs one': {
      body: aResource({ name: 'Orders' }, 'postgres.database.orders'),
      says: 'metadata.name: Invalid value: must end with a hash, since postgres.database.Orders is no name in Kubernetes: apply it over HTTP, or name it with lower-case letters, digits, dots and dashes',
    },
    'the object name of another type': {
      body: aDefinition({}, definitionNameOf('postgres', 'role')),
      says: 'metadata.name: Invalid value: must be postgres.database',
    },
    'the object name of another project': {
      body: { ...aProject(), metadata: { name: 'p-2' } },
      says: 'metadata.name: Invalid value: must be p-1',
    },
    'a provider in capitals': {
      body: aResource({ provider: 'Postgres' }),
      says: 'spec.provider: Invalid value: "Postgres"',
    },
    'a provider that ends with a dash': {
      body: aResource({ provider: 'postgres-' }),
      says: 'spec.provider: Invalid value: "postgres-"',
    },
    'a provider of 41 characters': {
      body: aResource({ provider: 'p'.repeat(41) }),
      says: 'spec.provider: Too long: may not be more than 40 bytes',
    },
    'a type that begins with a digit': {
      body: aResource({ resource: '1database' }),
      says: 'spec.resource: Invalid value: "1database"',
    },
    'a name with a slash': {
      body: aResource({ name: 'a/b' }),
      says: 'spec.name: Invalid value: "a/b"',
    },
    'a name that is a dot': {
      body: aResource({ name: '.' }),
      says: 'spec.name: Invalid value: "."',
    },
    'a name in another script': {
      body: aResource({ name: 'заказы' }),
      says: 'spec.name: Invalid value: "заказы"',
    },
    'an ignored value that is no JSON Pointer': {
      body: aResource({ observe: { ignore: ['tags'] } }),
      says: 'spec.observe.ignore[0]: Invalid value: "tags"',
    },
    'a name of 201 characters': {
      body: aResource({ name: 'x'.repeat(201) }),
      says: 'spec.name: Too long: may not be more than 200 bytes',
    },
    'a config that is not an object': {
      body: aResource({ config: [1] }),
      says: 'spec.config: Invalid value: "array"',
    },
    'a protected resource that expires': {
      body: aResource({ protected: true, expiresAt: '2099-01-01T00:00:00Z' }),
      says: 'spec.expiresAt: Invalid value: a protected resource cannot expire; remove expiresAt, or set protected to false',
    },
    'a time that is none': {
      body: aResource({ expiresAt: 'tomorrow' }),
      says: 'spec.expiresAt: Invalid value: "tomorrow"',
    },
    'an unknown deletion policy': {
      body: aResource({ deletionPolicy: 'Keep' }),
      says: 'spec.deletionPolicy: Unsupported value: "Keep"',
    },
    'an unknown lifecycle': {
      body: aResource({ lifecycle: 'Paused' }),
      says: 'spec.lifecycle: Unsupported value: "Paused"',
    },
    'the same tag twice': {
      body: aResource({ tags: ['a', 'b', 'a'] }),
      says: 'spec.tags[2]: Duplicate value: "a"',
    },
    'an empty tag': {
      body: aResource({ tags: [''] }),
      says: 'spec.tags[0]: Invalid value: "": spec.tags[0] in body should be at least 1 chars long',
    },
    '65 tags': {
      body: aResource({ tags: many(65) }),
      says: 'spec.tags: Too many: 65: must have at most 64 items',
    },
    '65 dependencies': {
      body: aResource({ dependencies: dependencies(65) }),
      says: 'spec.dependencies: Too many: 65: must have at most 64 items',
    },
    'the same dependency twice': {
      body: aResource({ dependencies: [...dependencies(1), ...dependencies(1)] }),
      says: 'spec.dependencies[1]: Duplicate value',
    },
    'a dependency on itself': {
      body: aResource({ dependencies: [...dependencies(2), tuple] }),
      says: 'spec.dependencies: Invalid value: a resource cannot depend on itself',
    },
    'a retry counter below zero': {
      body: aResource({ retry: -1 }),
      says: 'spec.retry: Invalid value: -1',
    },
    'a number that JavaScript would change': {
      body: JSON.parse(JSON.stringify(aResource()).replace('"config"', '"retry":1e16,"config"')),
      says: 'spec.retry: Invalid value: 10000000000000000',
    },
    'a definition with empty retries': {
      body: aDefinition({ retry: {} }),
      says: 'spec.retry: Invalid value: 0: spec.retry in body should have at least 1 properties',
    },
    'a definition with too many attempts': {
      body: aDefinition({ retry: { attempts: 21 } }),
      says: 'spec.retry.attempts: Invalid value: 21',
    },
    'a provider object of another name': {
      body: aProvider({}, 'mysql'),
      says: 'metadata.name: Invalid value: must be the same as spec.provider',
    },
    'an endpoint of another protocol': {
      body: aProvider({ endpoint: 'ftp://example.com/' }),
      says: 'spec.endpoint: Invalid value: "ftp://example.com/"',
    },
    'an endpoint without a host': {
      body: aProvider({ endpoint: 'http:///path' }),
      says: 'spec.endpoint: Forbidden: must be an http or https URL with a host, without credentials and without a fragment',
    },
    'an endpoint with credentials': {
      body: aProvider({ endpoint: 'http://user:secret@example.com/' }),
      says: 'spec.endpoint: Forbidden: must be an http or https URL with a host, without credentials',
    },
    'an endpoint that is not a URL': {
      body: aProvider({ endpoint: 'http://exa mple.com/' }),
      says: 'spec.endpoint: Forbidden: must be an http or https URL',
    },
    'a provider that runs both here and elsewhere': {
      body: aProvider({ endpoint: 'http://example.com', version: '20260101.000000' }),
      says: 'spec: Invalid value: endpoint and version exclude each other',
    },
    'authorities of an endpoint without TLS': {
      body: aProvider({ endpoint: 'http://example.com', caBundle: 'bm9uZQ==' }),
      says: 'spec: Invalid value: caBundle requires an endpoint that begins with https://',
    },
    'a version of another shape': {
      body: aProvider({ version: '1.0.0' }),
      says: 'spec.version: Invalid value: "1.0.0"',
    },
    'too many replicas': {
      body: aProvider({ replicas: 11 }),
      says: 'spec.replicas: Invalid value: 11: must be 1 to 10; with 0 pods events would wait',
    },
    'no replicas': {
      body: aProvider({ replicas: 0 }),
      says: 'spec.replicas: Invalid value: 0: must be 1 to 10; with 0 pods events would wait',
    },
    'a CPU limit of 0': {
      body: aProvider({ resources: { limits: { cpu: '0' } } }),
      says: 'spec.resources.limits.cpu: Invalid value: "0"',
    },
    'more memory than a container may have': {
      body: aProvider({ resources: { limits: { memory: '17Gi' } } }),
      says: 'spec.resources: Invalid value: limits.memory must be at most 16Gi; set more replicas instead',
    },
    'a request above the limit': {
      body: aProvider({ resources: { requests: { cpu: '0.6' }, limits: { cpu: '500m' } } }),
      says: 'spec.resources: Invalid value: requests.cpu must be at most limits.cpu, which is 1 by default',
    },
    'a request above the default limit': {
      body: aProvider({ resources: { requests: { memory: '1Gi' } } }),
      says: 'spec.resources: Invalid value: requests.memory must be at most limits.memory, which is 512Mi by default',
    },
    'an organization outside of the tenant namespaces': {
      body: anOrganization('kube-system'),
      says: 'metadata.name: Invalid value: must be the name of the namespace: fl-',
    },
    'an organization without a hash in its name': {
      body: anOrganization('fl-acme'),
      says: 'metadata.name: Invalid value: must be the name of the namespace: fl-',
    },
    'a project with an unknown manager': {
      body: aProject({ managedBy: 'me' }),
      says: 'spec.managedBy: Unsupported value: "me"',
    },
    'a project with the id of a default project': {
      body: {
        ...aProject({ projectId: 'default-0123456789ab' }),
        metadata: { name: 'default-0123456789ab' },
      },
      says: 'spec.projectId: Invalid value: default- and 12 hexadecimal digits are the id of a default project',
    },
    'an invalid digest': {
      body: aBuild({ source: { digest: 'sha256:abc', size: 1 } }),
      says: 'spec.source.digest: Invalid value: "sha256:abc"',
    },
  };

  it.each(Object.entries(cases))('[K11] %s', async (_name, { body, says }) => {
    await expect(fixture.tryCreate(body)).rejects.toThrow(says);
  });
});
