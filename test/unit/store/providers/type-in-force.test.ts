import { expect, it } from 'vitest';
import type { Provider } from '../../../../src/crds/provider.ts';
import type { ResourceDefinition } from '../../../../src/crds/resource-definition.ts';
import { servingVersionOf, typeInForce } from '../../../../src/store/providers/type-in-force.ts';

const one = '20260101.000001';
const two = '20260102.000002';
const since = '2026-01-02T00:00:00.000Z';

type Spec = ResourceDefinition['spec'];
const defined = (more: Partial<Spec> = {}): Pick<ResourceDefinition, 'spec'> => ({
  spec: { provider: 'shop', resource: 'item', description: 'base', ...more },
});
const next = { version: two, description: 'next' };
const leaving = { version: two, description: '', retired: true };
const retired = { version: one, at: since };

/** Wants one version, while another one or none serves. */
const hosted = (version: string, deployedVersion?: string): Pick<Provider, 'spec' | 'status'> => ({
  spec: { provider: 'shop', version },
  status: deployedVersion === undefined ? {} : { deployedVersion, deployedAt: since },
});
const elsewhere: Pick<Provider, 'spec'> = {
  spec: { provider: 'shop', endpoint: 'https://shop.example/' },
};

const base = { description: 'base' };
const cases = {
  'of a provider that is gone is in force': [defined({ providerVersion: one }), undefined, base],
  'of a provider that runs elsewhere is in force': [
    defined({ providerVersion: one }),
    elsewhere,
    base,
  ],
  'that was registered over HTTP is in force whatever serves': [defined(), hosted(one, one), base],
  'that was registered over HTTP is in force before the next version takes over': [
    defined({ next }),
    hosted(two, one),
    base,
  ],
  'of the version that serves is in force': [
    defined({ providerVersion: one }),
    hosted(one, one),
    base,
  ],
  'of a version that starts is not in force': [
    defined({ providerVersion: two }),
    hosted(two, one),
    undefined,
  ],
  'of a first version that starts is not in force': [
    defined({ providerVersion: one }),
    hosted(one),
    undefined,
  ],
  'stays in force while the next version starts': [
    defined({ providerVersion: one, next }),
    hosted(two, one),
    base,
  ],
  'stays in force while the version that starts lacks the type': [
    defined({ providerVersion: one, next: leaving }),
    hosted(two, one),
    base,
  ],
  'is replaced at the moment at which the next version serves': [
    defined({ providerVersion: one, next }),
    hosted(two, two),
    { description: 'next' },
  ],
  'is that of the version that serves when a third one is wanted already': [
    defined({ providerVersion: one, next }),
    hosted('20260103.000003', two),
    { description: 'next' },
  ],
  'is retired at the moment at which a version without the type serves': [
    defined({ providerVersion: one, next: leaving }),
    hosted(two, two),
    { description: 'base', retired: { version: two, at: since } },
  ],
  'stays retired': [
    defined({ providerVersion: one, retired }),
    hosted(two, two),
    { description: 'base', retired },
  ],
  'comes back with the version that has the type again': [
    defined({ providerVersion: one, retired, next }),
    hosted(two, two),
    { description: 'next' },
  ],
} as const;

it.each(Object.entries(cases))('a definition %s', (_name, [definition, provider, want]) => {
  const found = typeInForce(definition, provider);
  const { content, retired: since } = found ?? {};
  expect(
    found && {
      description: content?.description,
      ...(since === undefined ? {} : { retired: since }),
    },
  ).toEqual(want);
});

it('tells when a deploy changed it, until that is recorded', () => {
  const changed = typeInForce(defined({ providerVersion: one, next }), hosted(two, two));
  expect(changed?.changedAt).toBe(since);
  for (const more of [{ timeoutSeconds: 60 }, { retry: { attempts: 3 } }]) {
    const other = { version: two, description: 'base', ...more };
    const found = typeInForce(defined({ providerVersion: one, next: other }), hosted(two, two));
    expect(found?.changedAt, JSON.stringify(more)).toBe(since);
  }
  const same = { version: two, description: 'base' };
  const kept = typeInForce(defined({ providerVersion: one, next: same }), hosted(two, two));
  expect(kept?.changedAt).toBeUndefined();
});

it('has no serving version without a takeover, and for a provider that runs elsewhere', () => {
  expect(servingVersionOf(hosted(one))).toBeUndefined();
  expect(servingVersionOf(elsewhere)).toBeUndefined();
  expect(servingVersionOf(hosted(two, one))).toEqual({ version: one, since });
});
