// The roles for people in the plain manifests: who has `view` in a namespace reads no Secrets there, and no resources either,
// because their configs and outputs hold passwords.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { objectsIn } from '../../../packaging/plain-manifests.ts';

interface Role {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly kind: string;
  readonly rules: readonly { readonly resources: readonly string[]; readonly verbs: string[] }[];
}

const file = join(import.meta.dirname, '../../../manifests/workloads.yaml');
const roles = (objectsIn(await readFile(file, 'utf8')) as unknown as readonly Role[]).filter(
  ({ kind }) => kind === 'ClusterRole',
);

const aggregatedTo = (role: string) =>
  roles.filter(
    ({ metadata }) =>
      metadata.labels?.[`rbac.authorization.k8s.io/aggregate-to-${role}`] === 'true',
  );
const mayRead = (given: readonly Role[]) =>
  given.some(({ rules }) =>
    rules.some(({ resources, verbs }) => resources.includes('resources') && verbs.includes('get')),
  );

it.each([
  { role: 'view', reads: false },
  { role: 'edit', reads: true },
  { role: 'admin', reads: true },
])('[K01] `$role` reads resources: $reads', ({ role, reads }) => {
  expect(aggregatedTo(role).length).toBeGreaterThan(0);
  expect(mayRead(aggregatedTo(role))).toBe(reads);
});

it('[K01] a role without aggregation reads them', () => {
  const viewer = roles.filter(({ metadata }) => metadata.name === 'fairlead-resource-viewer');
  expect(mayRead(viewer)).toBe(true);
  expect(JSON.stringify(viewer)).not.toContain('/aggregate-to-');
});
