// Reports readiness: the caches are complete, and the API server answers.

import type { ReadinessReport } from '../http/routes/health.ts';
import type { AppContext } from './context.ts';

/** @param more checks that one part alone has */
export function readinessOf(
  { caches, apiServerHealth }: Pick<AppContext, 'caches' | 'apiServerHealth'>,
  more: Readonly<Record<string, boolean>>,
): ReadinessReport {
  const checks = {
    ...more,
    caches: caches.all.every(({ synced }) => synced),
    kubernetes: apiServerHealth.alive,
  };
  return { ready: Object.values(checks).every(Boolean), checks };
}
