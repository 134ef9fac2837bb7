import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/app/config/index.ts';
import { podAddressesOf, registriesOf } from '../../../src/app/installation.ts';
import type { ServicePart } from '../../../src/app/settings.ts';

const registries = (environment: Record<string, string>) =>
  registriesOf(loadConfig([], environment));

describe('registries', () => {
  it('default to those of npm and of the nodes', () => {
    const { npmRegistry, pullConfig, builds } = registries({});
    expect({ npmRegistry, pullConfig }).toEqual({ npmRegistry: undefined, pullConfig: undefined });
    expect(builds.npmRegistry).toBeUndefined();
  });

  it.each([
    ['https://npm.example', 443],
    ['http://npm.example/path/', 80],
    ['https://npm.example:4873/', 4873],
  ])('of npm at %s are reachable on port %d, if private', (url, port) => {
    const cidrs = '10.1.2.0/24, 10.1.3.7/32';
    const settings = registries({ FAIRLEAD_NPM_REGISTRY: url, FAIRLEAD_NPM_REGISTRY_CIDRS: cidrs });
    expect(settings.npmRegistry).toEqual({ port, cidrs: ['10.1.2.0/24', '10.1.3.7/32'] });
    expect(settings.builds).toMatchObject({ npmRegistry: url, parallel: 2 });
  });

  it('reject CIDR blocks without a registry', () => {
    const environment = { FAIRLEAD_NPM_REGISTRY_CIDRS: '10.1.2.0/24' };
    expect(() => registries(environment)).toThrow(ConfigError);
    expect(() => registries(environment)).toThrow(/FAIRLEAD_NPM_REGISTRY_CIDRS/);
  });

  it('use the current credentials, not those of the start', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-pull-'));
    const file = join(folder, 'config.json');
    writeFileSync(file, '{"auths":{}}');
    const { pullConfig } = registries({ FAIRLEAD_PULL_SECRET_FILE: file });
    expect(pullConfig?.()).toBe('{"auths":{}}');
    writeFileSync(file, '{"auths":{"r.example":{}}}');
    expect(pullConfig?.()).toBe('{"auths":{"r.example":{}}}');
    rmSync(folder, { recursive: true });
  });
});

describe('addresses for pods', () => {
  const set = {
    FAIRLEAD_IMAGE: 'registry.example/fairlead:1',
    FAIRLEAD_ARTIFACTS_URL: 'http://internal:8002',
    FAIRLEAD_URL_FOR_PODS: 'http://fairlead:8000',
  };
  const addresses = {
    image: set.FAIRLEAD_IMAGE,
    artifactsUrl: set.FAIRLEAD_ARTIFACTS_URL,
    fairleadUrl: set.FAIRLEAD_URL_FOR_PODS,
  };
  const read = (part: ServicePart, environment: Record<string, string>) =>
    podAddressesOf(part, loadConfig([], environment, 'cluster'));

  it.each(Object.keys(set))('require %s of the controller only', (name) => {
    const rest = Object.fromEntries(Object.entries(set).filter(([other]) => other !== name));
    expect(() => read('controller', rest)).toThrow(
      new ConfigError(`${name}: required by the controller`),
    );
    expect(() => read('api', rest)).not.toThrow();
  });

  it.each(['api', 'controller'] as const)('are accepted by %s', (part) => {
    expect(read(part, set)).toEqual(addresses);
  });
});
