// Objects that cannot be processed report it, and continue when the cause is resolved, on a real API server.
import { describe, expect, it } from 'vitest';
import { projectNameOf } from '../../../src/domain/identity.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { createDeadLetterStatistics } from '../../../src/metrics/dead-letter-statistics.ts';
import {
  createReceiptStore,
  type Receipt,
} from '../../../src/store/dead-letters/orphan-receipts.ts';
import { createDeadLetterStore } from '../../../src/store/dead-letters/store.ts';
import {
  annotation,
  apiVersion,
  configMapKind,
  kinds,
  label,
  namespaceKind,
} from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { dyingClient } from '../../support/faults/dying-client.ts';
import { deadLetterFixture } from '../../support/fixtures/dead-letters/dead-letter-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();

describe('a resource in a project that does not exist', () => {
  it('is stalled and sends no event, until the project is created', async () => {
    const fixture = await deadLetterFixture(real);
    await fixture.apply(['box-lost'], { project: 'nowhere' });
    fixture.run();
    await eventually(async () => {
      const { status } = await fixture.resource('box-lost');
      expect(status).toMatchObject({ state: 'pending', reason: 'NoProject' });
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'NoProject' }),
      );
    });
    expect(fixture.received).toEqual([]);
    await real.create(kinds.project, {
      apiVersion,
      kind: kinds.project.kind,
      metadata: { name: projectNameOf('nowhere'), namespace: fixture.namespace },
      spec: { projectId: 'nowhere', displayName: 'Nowhere' },
    } as KubeObject);
    await eventually(async () => expect(await fixture.states()).toEqual({ ready: ['box-lost'] }));
  });
});

const quotaKind = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};

function receiptFor(namespace: string, uid: string, at: Date): Receipt {
  return {
    uid,
    namespace,
    organizationId: 'org',
    provider: 'box',
    resourceType: 'crate',
    resourceName: uid,
    projectId: 'default',
    config: {},
    outputs: {},
    error: null,
    reason: 'Forced',
    eventId: undefined,
    at,
    protected: false,
    terminating: false,
  };
}

describe('a failure whose dead letter exceeds the quota', () => {
  it('is reported on the resource, and recorded once there is quota again', async () => {
    // Of up to 30 s otherwise, as long as the quota was missing.
    const backoff = { baseMs: 100, capMs: 1_000 };
    const fixture = await deadLetterFixture(real, { backoff });
    const { namespace } = fixture;
    const tight = { namespace, name: 'tight' };
    const receipts = createReceiptStore({ client: real, systemNamespace: `${namespace}-system` });
    for (const [uid, day] of [
      ['newer', '02'],
      ['older', '01'],
    ] as const) {
      await receipts.write(receiptFor(namespace, uid, new Date(`2026-01-${day}T00:00:00Z`)));
    }
    const kept = async () => {
      const objects = await real.list<KubeObject>(configMapKind, {
        namespace,
        labelSelector: `${label.orphanReceipt}=true`,
      });
      return objects.items.map(({ metadata }) => metadata.name).sort();
    };
    const hard = { 'count/configmaps': '0' };
    const head = { apiVersion: 'v1', kind: 'ResourceQuota' };
    const made = await real.create(quotaKind, {
      ...head,
      metadata: tight,
      spec: { hard },
    } as KubeObject);
    // Replaces the quota controller, which does not run here: admission enforces the recorded status.
    const { resourceVersion = '' } = made.metadata;
    const metadata = { ...tight, resourceVersion };
    await real.replaceStatus(quotaKind, { ...head, metadata, status: { hard, used: hard } });
    fixture.broken.set('box', 'it is broken');
    await fixture.apply(['box-0']);
    const running = fixture.run();
    await eventually(async () => {
      const { status } = await fixture.resource('box-0');
      expect(status).toMatchObject({ state: 'processing', reason: 'QuotaExceeded' });
      const condition = { status: 'True', reason: 'QuotaExceeded' };
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Stalled', ...condition }),
      );
      expect(status?.conditions?.[0]?.message).toMatch(/exceeded quota: tight/);
    });
    const writes = () => running.dying.writes.filter((each) => each === 'status Resource');
    const { length } = writes();
    const tried = () => running.dying.writes.filter((each) => each === 'create ConfigMap').length;
    const before = tried();
    await eventually(() => expect(tried()).toBeGreaterThan(before + 1));
    expect(writes(), 'it is said once').toHaveLength(length);
    expect(fixture.received, 'the answer is kept, and the provider not asked again').toHaveLength(
      1,
    );
    await eventually(async () => expect(await kept(), 'receipts give way').toEqual([]));
    await real.delete(quotaKind, tight);
    await eventually(
      async () => expect(await fixture.states()).toEqual({ failed: ['box-0'] }),
      60_000,
    );
    const { status } = await fixture.resource('box-0');
    expect(status).toMatchObject({ reason: 'ProviderFailed' });
    expect(await fixture.deadLetters()).toHaveLength(1);
  });
});

describe('a failure whose dead letter is deleted with kubectl', () => {
  it('is dismissed on the resource, and not counted as missing; a later failure is not dismissed', async () => {
    const fixture = await deadLetterFixture(real);
    fixture.broken.set('box', 'it is broken');
    await fixture.apply(['box-0', 'box-1']);
    const running = fixture.run();
    const { resources, deadLetters } = running.caches;
    const census = createDeadLetterStatistics({ resources, deadLetters });
    await eventually(async () => expect((await fixture.states())['failed']).toHaveLength(2));
    const store = createDeadLetterStore({ client: real, resources });
    const organization = { namespace: fixture.namespace, issuer: '', id: '' };
    expect(await store.removeAll(organization, { provider: 'box' })).toBe(2);
    await eventually(async () => {
      const { status, metadata } = await fixture.resource('box-0');
      expect(metadata.annotations).toHaveProperty([annotation.dismissed], `${status?.event?.id}/0`);
      expect(status?.state).toBe('failed');
      expect(status?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Stalled']);
    });
    await eventually(() => {
      expect(deadLetters.count(fixture.namespace)).toBe(0);
      expect(census.read().failedWithoutDeadLetter.get(fixture.namespace) ?? 0).toBe(0);
    });
    await fixture.change('box-0', { other: true });
    await eventually(async () => expect(await fixture.deadLetters()).toHaveLength(1));
    const [deadLetter] = await fixture.deadLetters();
    await eventually(async () => {
      const { status } = await fixture.resource('box-0');
      expect(status?.conditions?.map(({ type }) => type)).toContain('DeadLettered');
    });
    // Taken away without a word, as by kubectl: this one is missed.
    const name = deadLetter?.eventId ?? '';
    await real.delete(configMapKind, { namespace: fixture.namespace, name });
    await eventually(() =>
      expect(census.read().failedWithoutDeadLetter.get(fixture.namespace)).toBe(1),
    );
  });

  it('is dismissed before the letter is deleted, with a crash in between', async () => {
    const fixture = await deadLetterFixture(real);
    fixture.broken.set('box', 'it is broken');
    await fixture.apply(['box-0']);
    const running = fixture.run();
    await eventually(async () => expect((await fixture.states())['failed']).toHaveLength(1));
    const { resources } = running.caches;
    const dying = dyingClient(real, 1);
    const organization = { namespace: fixture.namespace, issuer: '', id: '' };
    const first = createDeadLetterStore({ client: dying.client, resources });
    const [deadLetter] = await fixture.deadLetters();
    await expect(first.remove(organization, deadLetter?.eventId ?? '')).rejects.toThrow();
    expect(dying.writes).toEqual(['patch Resource']);
    expect(await fixture.deadLetters()).toHaveLength(1);
    const second = createDeadLetterStore({ client: real, resources });
    await second.remove(organization, deadLetter?.eventId ?? '');
    expect(await fixture.deadLetters()).toEqual([]);
  });
});

describe('a deletion that fails while its namespace terminates', () => {
  it('ends, with a receipt in the system namespace', async () => {
    const answers = Promise.withResolvers<void>();
    const fixture = await deadLetterFixture(real, {
      before: ({ type }) => (type === 'DELETE' ? answers.promise : Promise.resolve()),
    });
    const { namespace } = fixture;
    fixture.run();
    await fixture.apply(['box-0']);
    await eventually(async () => expect(await fixture.states()).toEqual({ ready: ['box-0'] }));
    fixture.broken.set('box', 'the credentials are gone');
    await fixture.remove('box-0');
    await eventually(() => expect(fixture.received).toHaveLength(2));
    await real.delete(namespaceKind, { name: namespace });
    answers.resolve();
    await eventually(async () => expect(await fixture.states()).toEqual({}));
    const labelSelector = `${label.orphanReceipt}=true,${label.organizationNamespace}=${namespace}`;
    const { items } = await real.list<KubeObject & { data: object }>(configMapKind, {
      namespace: 'default',
      labelSelector,
    });
    expect(items.map(({ data }) => data)).toMatchObject([
      { reason: 'NamespaceDeleted', error: 'BROKEN: the credentials are gone' },
    ]);
  });
});
