// Maps explanations, groups of causes and Kubernetes Events to response bodies.
import * as schemas from '../../api/schemas/explanations.ts';
import type { Explanation } from '../../explanation/facts.ts';
import { presenterOf } from './body.ts';
import { progressBody } from './resource.ts';

const explanationBody = presenterOf(schemas.Explanation);

export function presentExplanation(record: Explanation) {
  const { event, log: logExcerpt } = record;
  const shown = event && { ...event, progress: progressBody(event) };
  return explanationBody({ ...record, event: shown, logExcerpt });
}

export const presentGroup = presenterOf(schemas.CauseGroup);
export const presentResourceEvent = presenterOf(schemas.ResourceEvent);
