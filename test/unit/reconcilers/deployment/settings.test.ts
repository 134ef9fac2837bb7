// What the pods of a version get of the settings of its provider.
import { describe, expect, it } from 'vitest';
import type { Provider } from '../../../../src/crds/provider.ts';
import { settingsParts } from '../../../../src/providers/workloads/settings-volume.ts';
import {
  type ManifestDeps,
  manifestText,
} from '../../../../src/reconcilers/deployment/manifest.ts';
import type { Observed } from '../../../../src/reconcilers/deployment/observe.ts';
import { podSettingsOf, strangeSecret } from '../../../../src/reconcilers/deployment/settings.ts';
import { missingSettings } from '../../../../src/store/providers/setting-names.ts';
import { unsignedCertificates } from '../../../support/fixtures/authority.ts';
import {
  aBuild,
  aProvider,
  version,
} from '../../../support/fixtures/workloads/workload-builders.ts';

const schema = { type: 'object', properties: { url: {}, region: {} }, required: ['url'] };
const build = aBuild({ status: { phase: 'success', settings: schema } });
const entry = { name: 'url', sensitive: true, setAt: '2026-01-01T00:00:00Z', setBy: 'ann' };
const set = (revision: string) => ({
  settings: { secret: 'own', revision, values: {}, entries: [entry] },
});
const partsOf = (spec: Partial<Provider['spec']>, of = build) =>
  settingsParts(podSettingsOf({ provider: aProvider({ spec: { version, ...spec } }), build: of }));

describe('the pods', () => {
  it('get nothing when the version declares no settings', () => {
    expect(partsOf(set('r1'), aBuild())).toEqual({
      annotations: {},
      volumes: [],
      mounts: [],
      args: [],
    });
  });

  it('get the declared keys as read-only files', () => {
    expect(partsOf(set('r1'))).toMatchObject({
      annotations: { 'fairlead.dev/settings-revision': 'r1' },
      volumes: [
        {
          secret: {
            secretName: 'own',
            optional: true,
            items: [
              { key: 'region', path: 'region' },
              { key: 'url', path: 'url' },
            ],
          },
        },
      ],
      mounts: [{ readOnly: true }],
      args: ['--settings', '/run/fairlead/settings'],
    });
  });

  it('get the Secret that others keep, and look for changes of it', () => {
    expect(partsOf({ ...set('r1'), settingsSecret: 'vault' })).toMatchObject({
      annotations: {},
      volumes: [{ secret: { secretName: 'vault' } }],
      args: ['--settings', '/run/fairlead/settings', '--watch-settings'],
    });
  });

  it('are replaced by a new revision, and only by that', () => {
    const deps: ManifestDeps = {
      image: 'fairlead:1',
      artifactsUrl: 'http://fairlead:8002',
      fairleadUrl: 'http://fairlead:8000',
      keyId: 'a',
      minReadySeconds: 10,
      certificates: unsignedCertificates,
      clock: { now: () => new Date('2026-01-01T00:00:00Z') },
    };
    const manifest = (revision: string, of = build) => {
      const provider = aProvider({ spec: { version, ...set(revision) } });
      return manifestText({ provider, build: of } as Observed, deps);
    };
    expect(manifest('r1')).toBe(manifest('r1'));
    expect(manifest('r2')).not.toBe(manifest('r1'));
    expect(manifest('r2', aBuild())).toBe(manifest('r1', aBuild()));
  });
});

describe('settings are missing', () => {
  const missing = (spec: Partial<Provider['spec']>) =>
    missingSettings({ provider: aProvider({ spec: { version, ...spec } }), build });
  it('when they are required and have no value', () => {
    expect(missing({})).toEqual(['url']);
    expect(missing(set('r1'))).toEqual([]);
  });
  it('not when others keep them', () => {
    expect(missing({ settingsSecret: 'vault' })).toEqual([]);
  });
});

it.each([
  ['provider-shop-settings-12345678', undefined],
  ['provider-other-settings-12345678', 'provider-other-settings-12345678'],
  ['vault', 'vault'],
])('the Secret %s is strange: %s', (secret, expected) => {
  const settings = { secret, revision: 'r1', values: {}, entries: [entry] };
  const provider = aProvider({ spec: { version, settings } });
  expect(strangeSecret({ provider })).toBe(expected);
  const kept = aProvider({ spec: { version, settings, settingsSecret: 'vault' } });
  expect(strangeSecret({ provider: kept }), 'an administrator chose it').toBeUndefined();
});
