// Derives what is constant in an installation: its release and the location of its artifacts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ArtifactSettings } from '../providers/artifacts/index.ts';
import { defaultBuildSettings } from '../reconcilers/build/decide.ts';
import { type Config, ConfigError } from './config/index.ts';
import type { PodAddresses, ServicePart } from './settings.ts';

/** @throws ConfigError when the settings of the bucket are invalid */
export function artifactSettingsOf(config: Config): ArtifactSettings {
  const { dataFolder, bucket, pod, pods } = config;
  const stagingFolder = join(dataFolder, 'staging');
  if (bucket === undefined && pod.artifacts === 'folder') {
    return { kind: 'filesystem', folder: join(dataFolder, 'artifacts') };
  }
  if (bucket === undefined) {
    if (pods.artifactsUrl !== undefined) {
      return { kind: 'remote', url: pods.artifactsUrl, stagingFolder };
    }
    throw new ConfigError('FAIRLEAD_ARTIFACTS_URL: required when FAIRLEAD_ARTIFACTS is remote');
  }
  const { name, pathStyle, prefix, region, endpoint } = bucket;
  const parsed = ArtifactSettings.safeParse({
    kind: 's3',
    bucket: name,
    pathStyle,
    ...(prefix === undefined ? {} : { prefix }),
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    stagingFolder,
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ConfigError(`FAIRLEAD_S3_…: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

/**
 * The addresses that the controller writes into pods. The API writes no pods, so it does not require them.
 * @throws ConfigError when the controller lacks one
 */
export function podAddressesOf(part: ServicePart, { pods }: Pick<Config, 'pods'>): PodAddresses {
  const { image, artifactsUrl, fairleadUrl } = pods;
  if (part === 'controller') {
    requireSet('FAIRLEAD_IMAGE', image);
    requireSet('FAIRLEAD_ARTIFACTS_URL', artifactsUrl);
    requireSet('FAIRLEAD_URL_FOR_PODS', fairleadUrl);
  }
  return { image, artifactsUrl, fairleadUrl };
}

function requireSet(name: string, value: string | undefined): void {
  if (value === undefined) throw new ConfigError(`${name}: required by the controller`);
}

/** The registries that tenant pods use, and their credentials. */
export function registriesOf({ pods }: Config) {
  const { pullSecretFile: file, npmRegistry, npmRegistryCidrs: cidrs } = pods;
  if (npmRegistry === undefined && cidrs.length > 0) {
    throw new ConfigError(
      'FAIRLEAD_NPM_REGISTRY_CIDRS: requires FAIRLEAD_NPM_REGISTRY, which is not set',
    );
  }
  return {
    // Read on every use: kubelets replace the credentials at runtime.
    pullConfig: file === undefined ? undefined : () => readFileSync(file, 'utf8'),
    builds: { ...defaultBuildSettings, npmRegistry },
    npmRegistry: npmRegistry === undefined ? undefined : { port: urlPort(npmRegistry), cidrs },
  };
}

function urlPort(url: string): number {
  const { port, protocol } = new URL(url);
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** The version in package.json, which is also that of chart and image. */
export function releaseOf(): string {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
