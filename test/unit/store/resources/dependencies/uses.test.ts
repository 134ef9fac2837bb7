// What of an apply is checked against other types: only what is new, so that retries and updates keep what was accepted.
import { expect, it } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import { keyOf, objectNameOf, organizationOf } from '../../../../../src/domain/identity.ts';
import {
  type CheckDeps,
  requireValid,
} from '../../../../../src/store/resources/apply/apply-checks.ts';
import { usesOf } from '../../../../../src/store/resources/dependencies/uses.ts';
import { aResource } from '../../../../support/fixtures/builders.ts';

const tuple = (name: string) => ({ provider: 'net', resource: 'network', name });
const spec = (more: Partial<Resource['spec']>) => aResource({ spec: more }).spec;
const outputs = { id: 'net-1' };
const there = aResource({ spec: tuple('there'), status: { outputs } });
const elsewhere = aResource({
  spec: { ...tuple('elsewhere'), project: 'other' },
  status: { outputs },
});
const known = ({ name }: { name: string }) =>
  [there, elsewhere].find((each) => objectNameOf(keyOf(each.spec)) === name);

const wanted = spec({
  config: { a: `\${net/network/ref.outputs.id}` },
  dependencies: [tuple('dep')],
});

it.each([
  ['of a new resource are all new', undefined, 'dep', false],
  ['of a draft are new', spec({ ...wanted, lifecycle: 'Draft' }), 'dep', false],
  ['that are stored stay', wanted, 'dep', true],
  ['that are stored in a reference stay', wanted, 'ref', true],
  ['that are added are new', spec({ config: {} }), 'dep', false],
  ['on a resource that exists need no type', undefined, 'there', true],
  ['on a resource of another project are new', undefined, 'elsewhere', false],
])('dependencies %s', (_name, before, name, expected) => {
  const existing = before && aResource({ spec: before });
  const uses = usesOf({ known }, 'fl-acme', { spec: wanted, existing });
  expect(uses.isExpected(tuple(name))).toBe(expected);
});

it('reads the outputs of resources of the project', () => {
  const uses = usesOf({ known }, 'fl-acme', { spec: wanted, existing: undefined });
  const read = ['there', 'elsewhere', 'none'].map((name) => uses.outputsOf(tuple(name)));
  expect(read).toEqual([outputs, undefined, undefined]);
});

it.each([
  ['create', 1],
  ['update', 1],
  ['retry', 0],
] as const)('a %s checks them %i times', async (change, times) => {
  const open = { requireNotKnownToGo: () => undefined, requireOpen: () => Promise.resolve() };
  const dependencies = { cycleThrough: () => undefined, note: () => undefined };
  const deps = { known, providers: open, dependencies } as unknown as CheckDeps;
  let checked = 0;
  await requireValid(deps, organizationOf('https://issuer.example', 'acme'), {
    plan: { do: 'write', change, spec: wanted, commits: true, version: { given: undefined } },
    existing: undefined,
    validateConfig: () => Promise.resolve(1),
    validateUses: () => {
      checked += 1;
      return Promise.resolve();
    },
  });
  expect(checked).toBe(times);
});
