// Creates a resource, or checks whether it could be created.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { call } from '../../api/client.ts';
import { ApiError, NoAnswer } from '../../api/errors.ts';
import type { Made } from './draft.ts';
import { type PlacedMessages, placed } from './form/violations.ts';
import { messagesOf } from './problems.ts';
import { text } from './text.ts';

/** @returns the resource, or what is wrong with it by its fields. @throws ApiError for another refusal, NoAnswer, Error */
export async function applyForm(
  { body, problems, places, schema }: Made,
  isDryRun: boolean,
): Promise<ResourceRecord | PlacedMessages> {
  if (problems.length > 0) return { messages: messagesOf(problems), others: [] };
  try {
    const query = { dry_run: isDryRun };
    // One that exists is not overwritten.
    const headers = { 'if-none-match': '*' };
    return await call('applyResource', { body, query, headers });
  } catch (thrown) {
    if (thrown instanceof NoAnswer && !isDryRun) {
      throw new Error(text('types.no-answer'), { cause: thrown });
    }
    if (thrown instanceof ApiError && thrown.violations.length > 0) {
      return placed(thrown.violations, places, schema);
    }
    throw thrown;
  }
}
