// The definitions on a real API server: which changes are refused, and when.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aBuild,
  aDefinition,
  aProject,
  aResource,
  benchIn,
  dependencies,
  type Fixture,
  type Spec,
  type Written,
} from '../../support/fixtures/kubectl-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await benchIn('crd-transitions');
});
afterAll(() => fixture?.close());

describe('refused on update', () => {
  const cannotChange = 'Forbidden: cannot be changed';
  const cases: Record<string, { body: Written; spec: Spec; says: string }> = {
    'another provider': {
      body: aResource({ name: 'u-1' }),
      spec: { provider: 'mysql' },
      says: `spec.provider: ${cannotChange}`,
    },
    'another type': {
      body: aResource({ name: 'u-2' }),
      spec: { resource: 'role' },
      says: `spec.resource: ${cannotChange}`,
    },
    'another name': {
      body: aResource({ name: 'u-3' }),
      spec: { name: 'u-33' },
      says: `spec.name: ${cannotChange}`,
    },
    'another project': {
      body: aResource({ name: 'u-4' }),
      spec: { project: 'other' },
      says: `spec.project: ${cannotChange}`,
    },
    'a project of a resource that had none': {
      body: aResource({ name: 'u-12', project: undefined }),
      spec: { project: 'other' },
      says: `spec.project: ${cannotChange}`,
    },
    'no project of a resource that had one': {
      body: aResource({ name: 'u-13' }),
      spec: { project: null },
      says: `spec.project: ${cannotChange}`,
    },
    'a way back to draft': {
      body: aResource({ name: 'u-5' }),
      spec: { lifecycle: 'Draft' },
      says: 'spec.lifecycle: Forbidden: a committed resource cannot become a draft again; delete it instead',
    },
    'a lower retry counter': {
      body: aResource({ name: 'u-6', retry: 2 }),
      spec: { retry: 1 },
      says: 'spec.retry: Invalid value: 1: can only be raised',
    },
    'a lower replacement counter': {
      body: aResource({ name: 'u-7', replace: 2 }),
      spec: { replace: 1 },
      says: 'spec.replace: Invalid value: 1: can only be raised',
    },
    'a replacement of a protected resource': {
      body: aResource({ name: 'u-8', protected: true }),
      spec: { replace: 1 },
      says: 'spec.replace: Invalid value: a protected resource cannot be replaced; set protected to false first',
    },
    'a replacement with a protection': {
      body: aResource({ name: 'u-9', replace: 1 }),
      spec: { replace: 2, protected: true },
      says: 'spec.replace: Invalid value: a protected resource cannot be replaced; set protected to false first',
    },
    'an expiry of a protected resource': {
      body: aResource({ name: 'u-10', protected: true }),
      spec: { expiresAt: '2099-01-01T00:00:00Z' },
      says: 'spec.expiresAt: Invalid value: a protected resource cannot expire; remove expiresAt, or set protected to false',
    },
    'a protection of what expires': {
      body: aResource({ name: 'u-11', expiresAt: '2099-01-01T00:00:00Z' }),
      spec: { protected: true },
      says: 'spec.expiresAt: Invalid value: a protected resource cannot expire; remove expiresAt, or set protected to false',
    },
    'another provider of a definition': {
      body: aDefinition({ resource: 'u-7' }),
      spec: { provider: 'mysql' },
      says: `spec.provider: ${cannotChange}`,
    },
    'another id of a project': {
      body: aProject(),
      spec: { projectId: 'other' },
      says: `spec.projectId: ${cannotChange}`,
    },
    'a project that becomes managed by the platform': {
      body: aProject(),
      spec: { managedBy: 'platform' },
      says: 'spec: Forbidden: managedBy cannot be added or removed',
    },
    'another source of a build': {
      body: aBuild(),
      spec: { source: { size: 2 } },
      says: `spec.source: ${cannotChange}`,
    },
  };

  it.each(Object.entries(cases))('[K11] %s', async (_name, { body, spec, says }) => {
    await fixture.apply(body);
    await expect(fixture.patch(body, { spec })).rejects.toThrow(says);
  });
});

it('may name its default project, or leave it out', async () => {
  const body = aResource({ name: 'u-14', project: undefined });
  await fixture.apply(body);
  await fixture.patch(body, { spec: { project: 'default-0123456789ab' } });
  await fixture.patch(body, { spec: { project: null } });
});

describe('content while a resource is in flight', () => {
  const changes: Record<string, Spec> = {
    config: { config: { size: { of: ['disk', 2] } } },
    dependencies: { dependencies: dependencies(1) },
    retry: { retry: 1 },
    adopt: { adopt: { id: '7' } },
  };
  const inFlight = ['pending', 'processing'];
  const settled = ['ready', 'failed'];

  async function aResourceThatIs(state: string, name: string) {
    const body = aResource({ name, config: { size: { of: ['disk', 1] } } });
    await fixture.apply(body);
    const status = { state, reason: 'Queued', observedGeneration: 1 };
    await fixture.patch(body, { status }, 'status');
    return body;
  }

  const rows = Object.entries(changes).flatMap(([what, spec]) =>
    [...inFlight, ...settled].map((state) => ({ what, spec, state })),
  );

  it.each(rows)('[K11] $what while $state', async ({ what, spec, state }) => {
    const body = await aResourceThatIs(state, `f-${what}-${state}`);
    const changing = fixture.patch(body, { spec });
    if (inFlight.includes(state)) {
      const says = 'spec: Forbidden: the resource is being processed and cannot be modified';
      await expect(changing).rejects.toThrow(says);
    } else {
      await changing;
    }
  });

  it('allows changes of tags and options at any time', async () => {
    const body = await aResourceThatIs('processing', 'f-tags');
    const spec = { tags: ['new'], paused: true, deletionPolicy: 'Orphan', protected: true };
    await fixture.patch(body, { spec });
    const expiresAt = '2099-01-01T00:00:00Z';
    await fixture.patch(body, { spec: { protected: false, expiresAt } });
    await fixture.patch(body, { spec: { expiresAt: null } });
  });

  it('allows another config of what is only observed: no event is under way', async () => {
    const body = await aResourceThatIs('pending', 'f-observed');
    await fixture.patch(body, { status: { management: 'Observed' } }, 'status');
    await fixture.patch(body, { spec: { config: { size: 3 }, adopt: { id: '7' } } });
  });

  it('[K11] refuses another config while an event is under way, whatever was managed before', async () => {
    const body = await aResourceThatIs('processing', 'f-taken-over');
    await fixture.patch(body, { status: { management: 'Observed' } }, 'status');
    const says = 'the resource is being processed and cannot be modified';
    await expect(fixture.patch(body, { spec: { config: { size: 3 } } })).rejects.toThrow(says);
  });

  it('[K11] refuses a replacement in flight, and allows one of what is settled and not protected', async () => {
    const says = 'the resource is being processed and cannot be modified';
    const body = await aResourceThatIs('processing', 'f-replace');
    await expect(fixture.patch(body, { spec: { replace: 1 } })).rejects.toThrow(says);
    const settled = await aResourceThatIs('ready', 'f-replaced');
    await fixture.patch(settled, { spec: { protected: true } });
    await fixture.patch(settled, { spec: { protected: false, replace: 1 } });
  });
});
