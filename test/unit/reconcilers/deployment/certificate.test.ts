// Which certificate a version runs with: the one of its Deployment, or another one.
import { expect, it } from 'vitest';
import { certificateAnnotation } from '../../../../src/providers/workloads/serving-certificate.ts';
import {
  type CertificateSettings,
  certificateFor,
  certificateOf,
  renewalAt,
} from '../../../../src/reconcilers/deployment/certificate.ts';
import type { Deployment } from '../../../../src/reconcilers/workloads.ts';
import { label } from '../../../../src/store/kinds.ts';
import {
  aDeployment,
  aProvider,
  version,
} from '../../../support/fixtures/workloads/workload-builders.ts';

const settings: CertificateSettings = { authority: 'old' };
const expiresAt = '2026-04-01T00:00:00.000Z';
const provider = aProvider({ spec: { version } });

function running(changes: Record<string, string> = {}, of = version): Deployment {
  const annotations = {
    [certificateAnnotation.authority]: 'old',
    [certificateAnnotation.expiresAt]: expiresAt,
    ...changes,
  };
  const metadata = { labels: { [label.version]: of }, annotations };
  return { ...aDeployment(), spec: { replicas: 1, template: { metadata } } };
}

interface Case {
  readonly reason: string;
  readonly deployment: Deployment | undefined;
  readonly now: string;
  readonly settings?: CertificateSettings;
  readonly want: { readonly authority?: string; readonly expiresAt: string };
}

const renewal = renewalAt(expiresAt, 'uid-shop');
const before = new Date(renewal.getTime() - 1).toISOString();
const kept = { expiresAt };

const cases: Record<string, Case> = {
  'a new one without a Deployment': {
    reason: 'Nothing runs yet.',
    deployment: undefined,
    now: '2026-01-01T12:00:00Z',
    want: { expiresAt },
  },
  'the same on another day': {
    reason: 'A day is no reason to replace pods.',
    deployment: running(),
    now: '2026-02-01T00:00:00Z',
    want: kept,
  },
  'the same until its renewal': {
    reason: 'Two thirds of its life are not over.',
    deployment: running(),
    now: before,
    want: kept,
  },
  'a new one at its renewal': {
    reason: 'There is a third of its life left to replace the pods.',
    deployment: running(),
    now: renewal.toISOString(),
    want: { expiresAt: '2026-06-03T00:00:00.000Z' },
  },
  'a new one after its expiry': {
    reason: 'The controllers did not run for months.',
    deployment: running(),
    now: '2026-09-01T00:00:00Z',
    want: { expiresAt: '2026-11-30T00:00:00.000Z' },
  },
  'a new one of another authority': {
    reason: 'The authority was replaced.',
    deployment: running(),
    now: '2026-01-01T12:00:00Z',
    settings: { authority: 'new' },
    want: { authority: 'new', expiresAt },
  },
  'a new one for another version': {
    reason: 'Each version has a key of its own.',
    deployment: running({}, '20260102.000000'),
    now: '2026-01-03T12:00:00Z',
    want: { expiresAt: '2026-04-03T00:00:00.000Z' },
  },
  'a new one for an unreadable time': {
    reason: 'Somebody edited the Deployment.',
    deployment: running({ [certificateAnnotation.expiresAt]: 'soon' }),
    now: '2026-01-03T12:00:00Z',
    want: { expiresAt: '2026-04-03T00:00:00.000Z' },
  },
};

it.each(Object.entries(cases))('is %s', (_name, { reason, deployment, now, want, ...rest }) => {
  const found = certificateFor({ provider, deployment }, rest.settings ?? settings, new Date(now));
  expect(found, reason).toMatchObject({ authority: 'old', ...want });
});

it('is in a Secret of its own, and every pass of a day names the same', () => {
  const at = (now: string, authority = 'old', shop = provider) =>
    certificateFor({ provider: shop, deployment: undefined }, { authority }, new Date(now))
      .secretName;
  const first = at('2026-01-01T00:00:00Z');
  expect(first).toMatch(/^provider-shop-tls-[0-9a-f]{12}$/);
  expect(at('2026-01-01T23:00:00Z')).toBe(first);
  const others = [
    at('2026-01-02T00:00:00Z'),
    at('2026-01-01T00:00:00Z', 'new'),
    at('2026-01-01T00:00:00Z', 'old', aProvider({ spec: { version: '20260102.000000' } })),
    at('2026-01-01T00:00:00Z', 'old', aProvider({ metadata: { uid: 'u' }, spec: { version } })),
  ];
  expect(new Set([first, ...others]).size).toBe(5);
});

it('is renewed at different times by different providers', () => {
  const times = ['a', 'b', 'c', 'd'].map((uid) => renewalAt(expiresAt, uid).getTime());
  expect(new Set(times).size).toBe(4);
});

it('is known from the Deployment alone', () => {
  expect(certificateOf(running())).toEqual({ authority: 'old', expiresAt });
  expect(certificateOf(aDeployment())).toBeUndefined();
  expect(certificateOf(undefined)).toBeUndefined();
});
