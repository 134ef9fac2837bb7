// Reports readiness: the caches are complete, and the API server answers.

import type { ReadinessReport } from '../http/routes/health.ts';
import type { Base } from './base.ts';

/** @param more checks that one part alone has */
export function readinessOf(
  { caches, heartbeat }: Pick<Base, 'caches' | 'heartbeat'>,
  more: Readonly<Record<string, boolean>>,
): ReadinessReport {
  const checks = {
    ...more,
    caches: caches.all.every(({ synced }) => synced),
    kubernetes: heartbeat.alive,
  };
  return { ready: Object.values(checks).every(Boolean), checks };
}
