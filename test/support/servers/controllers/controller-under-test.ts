// Runs a controller over keys that a test adds, with manual time and a readable log.

import type { Key, Outcome } from '../../../../src/kube/api.ts';
import {
  type ControllerOptions,
  createController,
  type TriggerSource,
} from '../../../../src/kube/controller.ts';
import { KubeError, type KubeReason } from '../../../../src/kube/errors.ts';
import type { PassEnding } from '../../../../src/kube/pass.ts';
import { createWorkqueue, type Priority } from '../../../../src/kube/queue/workqueue.ts';
import { type Log, type LogFields, silentLog } from '../../../../src/lib/log.ts';
import { manualTime } from '../../runner/manual-time.ts';

export interface Entry extends LogFields {
  readonly level: string;
}

function recordingLog(entries: Entry[]): Log {
  const at = (level: string) => (fields: LogFields, message: string) =>
    void entries.push({ ...fields, level, message });
  return { ...silentLog, debug: at('debug'), warn: at('warn'), error: at('error') };
}

/** Creates a controller over keys that the test adds, with manual time. */
export function controllerOf(
  reconcile: (key: Key, signal: AbortSignal) => Promise<Outcome>,
  options: Partial<ControllerOptions> = {},
) {
  const time = manualTime();
  const queue = createWorkqueue({ clock: time.clock, timers: time.timers, random: () => 1 });
  const endings: PassEnding[] = [];
  const entries: Entry[] = [];
  const controller = createController({
    reconciler: { name: 'thing', reconcile },
    sources: [],
    queue,
    clock: time.clock,
    timers: time.timers,
    log: recordingLog(entries),
    observer: { reconciled: (_name, ending) => void endings.push(ending) },
    ...options,
  });
  return { controller, queue, time, endings, entries };
}

/** A source of a controller: keys that exist when it starts, and `change` for later ones. */
export function source(existing: readonly Key[], ready: Promise<void> = Promise.resolve()) {
  let enqueueChange: (keys: Iterable<Key>, priority: Priority) => void = () => undefined;
  const of: TriggerSource = {
    ready: () => ready,
    subscribe(enqueue) {
      enqueueChange = enqueue;
      enqueue(existing, 'sweep');
      return () => {
        enqueueChange = () => undefined;
      };
    },
  };
  return { of, change: (key: Key) => enqueueChange([key], 'fresh') };
}

export const never = new AbortController().signal;
export const throws = (reason: KubeReason) => () =>
  Promise.reject(new KubeError({ reason, message: 'no' }));
