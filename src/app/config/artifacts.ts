// Reads the settings of the artifact store from the environment.
import type { Environment } from './environment.ts';

/** Credentials come from the places of the AWS SDK. */
export function bucketIn(env: Environment) {
  if (env.FAIRLEAD_S3_BUCKET === undefined) return undefined;
  return {
    name: env.FAIRLEAD_S3_BUCKET,
    prefix: env.FAIRLEAD_S3_PREFIX,
    region: env.FAIRLEAD_S3_REGION,
    endpoint: env.FAIRLEAD_S3_ENDPOINT,
    pathStyle: env.FAIRLEAD_S3_PATH_STYLE === 'true',
  };
}

export function collectionIn(env: Environment) {
  const { FAIRLEAD_UNREFERENCED_ARTIFACTS: mode, FAIRLEAD_ARTIFACT_GRACE_DAYS: graceDays } = env;
  return mode === 'keep' ? undefined : { graceDays, dryRun: mode === 'dry-run' };
}
