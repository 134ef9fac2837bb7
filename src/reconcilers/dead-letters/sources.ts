// The key sources of the dead-letter reconcilers. They share one cache of dead letters and parse each once.
import type { Resource } from '../../crds/resource.ts';
import {
  type Informer,
  type Key,
  type KubeClient,
  keyFor,
  type Reconciler,
  refOf,
} from '../../kube/api.ts';
import { either, type KeyMap, type TriggerSource, watchCache } from '../../kube/controller.ts';
import type { Recorder } from '../../kube/recorder.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { DeadLetterObject } from '../../store/dead-letters/object.ts';
import type { RedriveObject } from '../../store/dead-letters/redrives.ts';
import { createRedriveReconciler } from '../redrive/index.ts';
import { createDeadLetterIndex } from './by-resource.ts';
import { createDeadLettersReconciler, deadLettersOf, defaultSupersededKept } from './index.ts';
import { createDeadLetterReader } from './reader.ts';

interface DeadLetterSourcesDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly recorder: Recorder;
  readonly deadLetters: Informer<DeadLetterObject>;
  readonly redrives: Informer<RedriveObject>;
  readonly resources: Informer<Resource>;
  readonly supersededKept?: number | undefined;
  readonly deadLettersPerSecond?: number;
}

/** @returns each reconciler with its sources */
export function deadLetterReconcilers(
  given: DeadLetterSourcesDeps,
): readonly { readonly reconciler: Reconciler; readonly sources: readonly TriggerSource[] }[] {
  const { deadLetters, redrives, resources } = given;
  const { supersededKept = defaultSupersededKept } = given;
  const reader = createDeadLetterReader();
  const index = createDeadLetterIndex();
  const deps = { ...given, deadLetters, reader, index, supersededKept };

  // Cheap, because redrives are rare.
  const redrivesBeside = (key: Key) =>
    Array.from(redrives.items(refOf(key).namespace), ({ metadata }) => keyFor(metadata));

  const indexed: KeyMap<DeadLetterObject> = (key, _before, after) => {
    index.heard(key, after);
    return [key];
  };

  return [
    {
      reconciler: createRedriveReconciler(deps),
      sources: [
        watchCache(redrives),
        watchCache(deadLetters, redrivesBeside),
        watchCache(resources, redrivesBeside),
      ],
    },
    {
      reconciler: createDeadLettersReconciler(deps),
      sources: [
        watchCache(deadLetters, indexed),
        watchCache(
          resources,
          // One that is not cached yet is reconciled when it is.
          either((each) => deadLettersOf(each, index).filter((key) => deadLetters.get(key))),
        ),
      ],
    },
  ];
}
