// Has the object of a resource observed now, and shows the result.
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { foundSentence } from '../../../../client/words/drift-text.ts';
import { slashed } from '../../../../domain/identity.ts';
import { call } from '../../../api/client.ts';
import { notify } from '../../../shell/notices.tsx';
import { text } from './text.ts';

const waitSeconds = 30;

/** @throws ApiError for a refusal, Error when nothing was observed */
export async function observeNow(record: ResourceRecord): Promise<void> {
  const path = { resource_id: record.id };
  const headers = { prefer: `wait=${waitSeconds}` };
  notify(observationText(record, await call('observeResource', { path, headers })));
}

type ObservedRecord = Pick<
  ResourceRecord,
  'provider' | 'resource' | 'name' | 'reason' | 'drift' | 'observation'
>;

/**
 * @returns what an observation has found
 * @throws Error when nothing was observed
 */
export function observationText(
  before: Pick<ObservedRecord, 'observation'>,
  after: ObservedRecord,
): string {
  const { observation, drift, reason } = after;
  const ref = slashed(after);
  if (observation === null || observation.at === before.observation?.at) {
    return text('resource.observe.late', { ref });
  }
  const { error } = observation;
  if (error !== null) throw new Error(text('resource.observe.failed', { error }));
  return `${ref}: ${foundSentence(observation, drift, reason)}`;
}
