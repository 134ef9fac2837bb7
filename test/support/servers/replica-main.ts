// Runs one replica of the service as a separate process: `node replica-main.ts SETTINGS`, JSON as in ReplicaSettings. It
// prints its ports as JSON once it serves, drains on SIGTERM, and does not outlive its parent process.
import { flushCompileCache } from 'node:module';
import { createLogger } from '../../../src/app/logger.ts';
import { startService } from '../../../src/app/service.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { unlimitedRates } from '../fixtures/unlimited-rates.ts';
import { workloadSettings } from '../fixtures/workloads/workload-settings.ts';
import type { ReplicaSettings } from './replica.ts';

const settings = JSON.parse(process.argv[2] ?? '{}') as ReplicaSettings;
const { kubeconfig, artifactsFolder, rates = unlimitedRates, ...rest } = settings;
const service = await startService(
  loadCluster({ kubeconfig }),
  {
    ...rest,
    artifacts: { kind: 'filesystem', folder: artifactsFolder },
    workloads: workloadSettings(),
    loopbackProviders: true,
    release: '0.0.0-test',
    host: '127.0.0.1',
    metrics: { host: '127.0.0.1', port: 0 },
    rates,
    // Standard output has only the ports.
    audit: () => undefined,
  },
  createLogger({ level: 'info', component: settings.identity }),
);
const { port, metricsPort } = service;
process.stdout.write(`${JSON.stringify({ port, metricsPort })}\n`);
// A killed process would leave no cache to the next one.
flushCompileCache();
process.once('SIGTERM', () => {
  void service.stop().then(() => process.exit(0));
});
// The pipe closes when the parent process is gone, however it ended.
process.stdin.on('end', () => process.exit(1)).resume();
