// Caches answers of providers that could not be recorded yet, because the object changed or the API server was down. The
// next pass records them instead of sending again. Losing them is safe: events are sent again.
import { LRUCache } from 'lru-cache';
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import type { ReceivedSecrets } from '../../../domain/secrets/resource-secrets.ts';
import type { Answer } from '../../../events/protocol.ts';
import type { Key } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ProcessEnd } from '../../crashes/process-ends.ts';

export type AnswerOf<Kind extends Answer['kind']> = Extract<Answer, { kind: Kind }>;

/** The answer of a provider, and the config it belongs to: the spec may have changed since. */
export interface UnrecordedAnswer<Kind extends Answer['kind'] = Answer['kind']> {
  readonly answer: AnswerOf<Kind>;
  readonly config: JsonObject;
  /** Version of the type that the config has; 1 when absent. */
  readonly schemaVersion?: number | undefined;
  /** Version of the type that served when the event was sent; 1 when absent. */
  readonly typeVersion?: number | undefined;
  /** Hash of the outputs of other resources in the config. */
  readonly references?: string | undefined;
  /** The secret ones among them. */
  readonly received?: ReceivedSecrets | undefined;
  /** Version of the provider that answered. */
  readonly providerVersion?: string | undefined;
  /** Set when the process of the provider ended instead of an answer. */
  readonly processEnd?: Pick<ProcessEnd, 'others' | 'isPlanned'> | undefined;
}

type DeliveryId = Pick<ClaimedEvent, 'id' | 'sequence'>;

/** An answer, and the resource that it is about. */
export interface KeptAnswer {
  readonly key: Key;
  readonly unrecorded: UnrecordedAnswer;
}

export interface UnrecordedAnswers {
  find(event: DeliveryId): UnrecordedAnswer | undefined;
  /** @returns the answers that came before that to an event, some of which may not be wanted any more */
  before(event: DeliveryId): readonly KeptAnswer[];
  keep(event: DeliveryId, unrecorded: UnrecordedAnswer, key: Key): void;
  drop(event: DeliveryId): void;
}

// One answer holds at most 512 KiB, and only answers between two writes are here.
const maxAnswers = 256;

interface NumberedAnswer extends KeptAnswer {
  readonly delivery: string;
  readonly number: number;
}

/** One answer per event: that to an earlier delivery of it is never found again. */
export function createUnrecordedAnswers(): UnrecordedAnswers {
  const answers = new LRUCache<string, NumberedAnswer>({ max: maxAnswers });
  let number = 0;
  function keptFor(event: DeliveryId): NumberedAnswer | undefined {
    const kept = answers.get(event.id);
    return kept?.delivery === deliveryId(event) ? kept : undefined;
  }
  return {
    find: (event) => keptFor(event)?.unrecorded,
    before(event) {
      const last = keptFor(event)?.number ?? 0;
      return [...answers.values()].filter((each) => each.number < last);
    },
    keep(event, unrecorded, key) {
      number += 1;
      answers.set(event.id, { delivery: deliveryId(event), unrecorded, key, number });
    },
    drop: (event) => void answers.delete(event.id),
  };
}

/** @returns a text unique to a delivery of an event */
export function deliveryId({ id, sequence }: DeliveryId): string {
  return `${id}/${sequence}`;
}
