// States of builds, versions made from timestamps, and the names of builds in Kubernetes.

export const buildPhases = ['pending', 'building', 'success', 'failed'] as const;
export type BuildPhase = (typeof buildPhases)[number];

export const versionPattern = /^[0-9]{8}\.[0-9]{6}$/;
/** The name of the Job, and of everything named after it. */
export const jobNamePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** @returns `YYYYMMDD.HHMMSS` in UTC */
export function versionAt(time: Date): string {
  const digits = time.toISOString().replace(/[-:]/g, '');
  return `${digits.slice(0, 8)}.${digits.slice(9, 15)}`;
}

/** @returns the name of the Build and of its Job; at most 56 characters */
export function jobNameOf(provider: string, version: string): string {
  return `${provider}-${version.replace('.', '-')}`;
}

export function isBuildFinished(phase: BuildPhase): boolean {
  return phase === 'success' || phase === 'failed';
}
