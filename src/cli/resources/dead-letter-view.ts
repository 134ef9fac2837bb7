// Shows dead letters, one row for each event or for each cause.
import type { DeadLetter, DeadLetterCause } from '../../api/shapes.ts';
import { since } from '../../client/time.ts';
import { causeMessage } from '../../client/words/dead-letter-cause.ts';
import { codesText, errorParts } from '../../client/words/reason-text.ts';
import type { View } from '../terminal/output.ts';
import { existsText } from './left-behind.ts';

export const letterView: View<DeadLetter> = {
  columns: [
    { title: 'EVENT', cell: ({ event_id }) => event_id },
    { title: 'RESOURCE', cell: deadLetterResource },
    { title: 'TYPE', cell: ({ event_type }) => event_type },
    {
      title: 'FAILED',
      cell: ({ failed_at }, { now, wide }) => (wide ? failed_at : since(failed_at, now)),
    },
    { title: 'EXISTS', sparse: true, cell: existsText },
    { title: 'ATTEMPTS', wide: true, cell: ({ attempt_count }) => `${attempt_count}` },
    { title: 'CAUSE', wide: true, cell: ({ cause }) => cause },
    {
      title: 'ERROR',
      cell: ({ error_message, superseded }) =>
        `${superseded ? '(superseded) ' : ''}${errorText(error_message)}`,
    },
  ],
  nameOf: ({ event_id }) => event_id,
};

export function deadLetterResource({ provider, resource_type, resource_name }: DeadLetter): string {
  return `${provider}/${resource_type}/${resource_name}`;
}

export const causeView: View<DeadLetterCause> = {
  columns: [
    { title: 'CAUSE', cell: ({ cause }) => cause },
    { title: 'PROVIDER', cell: ({ provider }) => provider },
    { title: 'COUNT', cell: ({ count }) => `${count}` },
    {
      title: 'OLDEST',
      cell: ({ oldest_failed_at: time }, { now, wide }) => (wide ? time : since(time, now)),
    },
    {
      title: 'NEWEST',
      cell: ({ newest_failed_at: time }, { now, wide }) => (wide ? time : since(time, now)),
    },
    { title: 'ERROR', cell: causeText },
  ],
  nameOf: ({ cause }) => cause,
};

function causeText(cause: DeadLetterCause): string {
  const { message, example } = causeMessage(cause);
  return example === undefined
    ? errorText(message)
    : errorText(example, `, and ${cause.count - 1} like it`);
}

/** The sentence first: codes are looked up, not read. */
function errorText(error: string, addition = ''): string {
  const { sentence, codes } = errorParts(error);
  return `${sentence}${addition}${codesText(codes)}`;
}
