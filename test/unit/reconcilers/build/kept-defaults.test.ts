// A build whose types give an immutable field another default in the same version is refused while a resource depends on it.
import { expect, it } from 'vitest';
import type { Build } from '../../../../src/crds/build.ts';
import type { ResourceDefinition } from '../../../../src/crds/resource-definition.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { changedDefaultProblem } from '../../../../src/reconcilers/build/kept-defaults.ts';
import { aResource } from '../../../support/fixtures/builders.ts';

const zone = (usual: string | undefined): JsonObject => ({
  properties: {
    zone: { type: 'string', immutable: true, ...(usual === undefined ? {} : { default: usual }) },
    size: { type: 'integer', default: usual === 'a' ? 1 : 2 },
  },
});
const stored = (config: JsonObject, appliedTypeVersion?: number) =>
  aResource({
    status: { appliedConfig: config as never, ...(appliedTypeVersion && { appliedTypeVersion }) },
  });
const undeclared = stored({ size: 3 });

interface Row {
  readonly reason: string;
  readonly inForce: object | undefined;
  readonly built: object;
  readonly resources: readonly ReturnType<typeof aResource>[];
  readonly says?: string;
}

const first = { schema: zone('a') };
const rows: readonly Row[] = [
  {
    reason: 'a resource does not declare the field',
    ...{ inForce: first, built: { schema: zone('b') }, resources: [undeclared] },
    says: 'Type postgres/database: the default of zone, which cannot change once a resource exists, is "b" in version 1, and was "a". Resources that do not declare it would change, such as postgres/database/orders: restore it, or give the type version 2, and a migration from version 1 that writes the old one, as zone: zone ?? "a"',
  },
  {
    reason: 'the default is gone',
    ...{ inForce: first, built: { schema: zone(undefined) }, resources: [undeclared] },
    says: 'is none in version 1, and was "a"',
  },
  {
    reason: 'an earlier version is declared otherwise than it served',
    inForce: first,
    built: {
      ...{ schema: zone('b'), typeVersion: 2 },
      earlierVersions: [{ typeVersion: 1, schema: zone('b') }],
    },
    resources: [undeclared],
    says: 'give the type version 3',
  },
  {
    reason: 'each resource declares it',
    ...{ inForce: first, built: { schema: zone('b') }, resources: [stored({ zone: 'a' })] },
  },
  { reason: 'there are no resources', inForce: first, built: { schema: zone('b') }, resources: [] },
  {
    reason: 'the type is new',
    inForce: undefined,
    built: { schema: zone('b') },
    resources: [undeclared],
  },
  {
    reason: 'it was no default before',
    ...{
      inForce: { schema: zone(undefined) },
      built: { schema: zone('b') },
      resources: [undeclared],
    },
  },
  {
    reason: 'another version has the other default',
    inForce: first,
    built: {
      schema: zone('b'),
      typeVersion: 2,
      earlierVersions: [{ typeVersion: 1, schema: zone('a') }],
    },
    resources: [undeclared],
  },
  {
    reason: 'the resource has a version that the type lacks',
    ...{ inForce: first, built: { schema: zone('b') }, resources: [stored({}, 4)] },
  },
];

it.each(rows)('$reason', async ({ inForce, built, resources, says }) => {
  const build = {
    metadata: { namespace: 'fl-acme-0123456789ab' },
    spec: { provider: 'postgres' },
  } as Build;
  const definition = { spec: { provider: 'postgres', resource: 'database', ...inForce } };
  const problem = await changedDefaultProblem(
    build,
    [{ resource: 'database', ...built } as never],
    {
      definitions: {
        get: () => (inForce === undefined ? undefined : (definition as ResourceDefinition)),
      },
      providers: { get: () => undefined },
      resources: { items: () => resources.values() },
    },
  );
  if (says === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(says);
});
