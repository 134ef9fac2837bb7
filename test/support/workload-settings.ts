// Provides the settings of builds and providers for a service in a test, where no node runs a pod.
import type { ServiceSettings } from '../../src/app/service.ts';
import { defaultBuildSettings } from '../../src/reconcilers/build/decide.ts';

/** @param parallel builds that get a Job concurrently */
export function workloadSettings(parallel = 0): ServiceSettings['workloads'] {
  return {
    image: 'fairlead:test',
    internal: { host: '127.0.0.1', port: 0 },
    artifactsUrl: 'http://127.0.0.1:9',
    fairleadUrl: 'http://127.0.0.1:9',
    minReadySeconds: 1,
    builds: { ...defaultBuildSettings, parallel },
  };
}
