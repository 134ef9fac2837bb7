// Runs the controllers of one process in the test process, on the test's client. With a client that dies at a write, all of
// it is as dead as after a kill -9, and a restart takes no second.

import { type Caches, createCaches, type KubeDeps } from '../../../../src/app/caches.ts';
import { silentMeter } from '../../../../src/app/controllers/controller-options.ts';
import { createControllers } from '../../../../src/app/controllers/controllers.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import type { StreamingClient } from '../../../../src/kube/client.ts';
import { type Clock, systemClock } from '../../../../src/lib/clock.ts';
import { silentLog } from '../../../../src/lib/log.ts';
import { defaultBuildSettings } from '../../../../src/reconcilers/build/decide.ts';
import { unsignedCertificates } from '../../fixtures/authority.ts';

type Options = Parameters<typeof createControllers>[2];

export interface ControllerProcess {
  readonly caches: Caches;
  readonly kubeDeps: KubeDeps;
  stop(): Promise<void>;
}

export interface ProcessOptions
  extends Partial<
    Pick<
      Options,
      | 'dispatch'
      | 'policy'
      | 'workers'
      | 'backoff'
      | 'supersededKept'
      | 'deadLettersPerSecond'
      | 'eventTimeoutMs'
      | 'meter'
    >
  > {
  readonly artifacts?: Options['builds']['artifacts'];
  readonly certificates?: Options['deployments']['certificates'];
  readonly clock?: Clock;
}

const work = {
  image: 'fairlead:test',
  artifactsUrl: 'http://a',
  fairleadUrl: 'http://f',
  minReadySeconds: 1,
};
const schemas: Options['schemas'] = {
  checkSchema: () => Promise.resolve([]),
  validate: () => Promise.resolve([]),
  close: () => Promise.resolve(),
};

const noArtifact = () => Promise.reject(new Error('There are no artifacts here'));
const noArtifacts: Options['builds']['artifacts'] = {
  put: noArtifact,
  open: noArtifact,
  has: noArtifact,
  link: noArtifact,
  isLinked: noArtifact,
  delete: noArtifact,
  claim: noArtifact,
  collect: noArtifact,
};

/** @param options without a dispatch or artifacts, the use of either fails */
export function startControllers(
  client: StreamingClient,
  {
    artifacts = noArtifacts,
    certificates = unsignedCertificates,
    clock = systemClock,
    ...options
  }: ProcessOptions = {},
): ControllerProcess {
  const kubeDeps = { client, clock, log: silentLog, random: Math.random };
  const caches = createCaches(kubeDeps);
  const stopping = new AbortController();
  /** Reconcilers whose passes asked for another one and wrote nothing. */
  const unchanged = new Set<string>();
  const { meter: given = silentMeter } = options;
  const meter: typeof given = {
    ...given,
    reconciled(reconciler, ending, ms) {
      if (ending === 'unchanged') unchanged.add(reconciler);
      given.reconciled(reconciler, ending, ms);
    },
  };
  const controllers = createControllers(kubeDeps, caches, {
    schemas,
    dispatch: () => Promise.reject(new Error('There are no resources here')),
    policy: defaultRetryPolicy,
    workers: 4,
    systemNamespace: 'default',
    ...options,
    meter,
    builds: {
      ...work,
      artifacts,
      tokens: () => Promise.resolve({ download: 'd', upload: 'u', types: 't' }),
      captureLog: () => Promise.resolve(Buffer.from('$ npm install\n')),
      settings: defaultBuildSettings,
    },
    deployments: {
      ...work,
      keyId: 'k',
      downloadToken: () => Promise.resolve('d'),
      certificates,
    },
  });
  const started = Promise.all(controllers.map((each) => each.start(stopping.signal)));
  return {
    caches,
    kubeDeps,
    async stop() {
      stopping.abort();
      await started;
      await Promise.all(controllers.map((each) => each.stop()));
      await Promise.all(caches.all.map((each) => each.stop()));
      const [one] = unchanged;
      if (one !== undefined)
        throw new Error(`A pass of ${one} wrote nothing and asked for another`);
    },
  };
}
