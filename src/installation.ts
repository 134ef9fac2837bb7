// What is the same wherever this installation runs: its release, and where its artifacts are.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from './config.ts';
import { ArtifactSettings } from './providers/artifacts/index.ts';

/** @throws ConfigError when a bucket is described in a way that cannot be */
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
    throw new ConfigError('FAIRLEAD_ARTIFACTS_URL: is needed where FAIRLEAD_ARTIFACTS is remote');
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

/** As in package.json, which is the version of chart and image too. */
export function releaseOf(): string {
  const text = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
