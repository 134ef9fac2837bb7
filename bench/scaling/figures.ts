// The figures on which the model and the arithmetic of docs/scaling.md rest. `npm run bench -- scaling` measures those that can be
// measured again and shows the difference; the simulation uses the ones below, so that its plots are the same on every machine.

/** Milliseconds of CPU and of waiting. */
export interface Costs {
  /** CPU of kube-apiserver to create a Resource. */
  readonly createMs: number;
  /** CPU of kube-apiserver to replace the status of a Resource. */
  readonly statusMs: number;
  /** CPU of kube-apiserver for each listed Resource. */
  readonly listMs: number;
  /** CPU of kube-apiserver to send one event to one more watch. */
  readonly watcherMs: number;
  /** CPU of etcd for each write. */
  readonly etcdMs: number;
  /** Time that a write waits for the disk and the other members of etcd. */
  readonly commitMs: number;
  /** From the commit of a write until a watch shows it. */
  readonly watchDelayMs: number;
  /** There and back between Fairlead and the API server, or a client and Fairlead. */
  readonly networkMs: number;
  /** CPU of an API process for each apply. */
  readonly applyMs: number;
  /** CPU of a controller process for each lifecycle, without the events of other shards. */
  readonly lifecycleMs: number;
  /** CPU of any process of Fairlead for each event of a Resource that it only caches. */
  readonly eventMs: number;
  /** CPU of any process of Fairlead for each listed Resource. */
  readonly parseMs: number;
  /** CPU of a client for each apply, and of a provider for each event. */
  readonly clientMs: number;
  /** The answers of providers: half are faster. */
  readonly answerMs: number;
  /** Their spread: the standard deviation of the logarithm. */
  readonly answerSpread: number;
}

/** Measured on 2026-11-22: two x64 cores, Node 24.21, Kubernetes 1.36.3, configs of 530 bytes. */
export const measured: Costs = {
  createMs: 3.5,
  statusMs: 5.5,
  listMs: 0.1,
  watcherMs: 0.12,
  etcdMs: 0.7,
  commitMs: 3,
  watchDelayMs: 2,
  networkMs: 1,
  applyMs: 2,
  lifecycleMs: 2.5,
  eventMs: 0.26,
  parseMs: 0.1,
  clientMs: 1,
  answerMs: 50,
  answerSpread: 0.8,
};

/** Memory of a process for each 1,000 Resources with configs of 550 bytes, in MiB; half of it is garbage that is not collected yet. */
export const memoryPerThousand = { controller: 6, api: 6 };

/** Memory of a process without Resources, in MiB. */
export const memoryWhenEmpty = { controller: 180, api: 190 };

/** Stored bytes of a Resource, key included: config in `spec` and in `status`, and everything else. */
export function bytesPerResource(configBytes: number): number {
  return 2_350 + 2 * configBytes;
}
