// Implements /ops/dead-letter: events that failed permanently, and the operations on them.
import type { z } from 'zod';
import type { DeleteDeadLetters } from '../../api/schemas/dead-letters.ts';
import { InvalidRequest } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import type { DeadLetterRecord } from '../../store/dead-letters/causes.ts';
import type { DeadLetterFilter } from '../../store/dead-letters/redrives.ts';
import type { DeadLetterStore } from '../../store/dead-letters/store.ts';
import type { ProjectNames } from '../../store/projects/names.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import {
  type LetterView,
  presentCause,
  presentDeadLetter,
  presentDeadLetterDetail,
  presentRedrive,
} from '../response/dead-letter.ts';
import { linkTo } from '../response/headers.ts';
import { json, jsonList, jsonPieces, mapPieces, noContent } from '../response/send.ts';

export interface DeadLetterRoutesDeps {
  readonly deadLetters: Omit<DeadLetterStore, 'write'>;
  readonly projectNames: Pick<ProjectNames, 'nameOf'>;
}

const tag = 'Dead letters';
const collection = '/ops/dead-letter';

export function deadLetterRoutes({
  deadLetters,
  projectNames,
}: DeadLetterRoutesDeps): readonly Endpoint[] {
  const viewFor: ViewFor = (organization) => ({
    organizationId: organization.id,
    projectName: (id) => projectNames.nameOf(organization, id),
  });
  return [
    listDeadLetters(deadLetters, viewFor),
    getDeadLetter(deadLetters, viewFor),
    retryDeadLetter(deadLetters, viewFor),
    retryAllDeadLetters(deadLetters),
    getRedrive(deadLetters),
    deleteDeadLetter(deadLetters),
    deleteDeadLetters(deadLetters),
  ];
}

type DeadLetters = DeadLetterRoutesDeps['deadLetters'];
type ViewFor = (organization: Organization) => LetterView;

function listDeadLetters(deadLetters: DeadLetters, viewFor: ViewFor): Endpoint {
  return endpoint('listDeadLetters', {
    documentation: {
      tag,
      summary: 'List events that failed permanently',
      description:
        'In the order of event ids. With `limit`, `Link` has the next page. With `group_by=error`, lists the causes of the failures instead, most frequent first, on a single page; groups and counts come from an index that follows the storage, normally within milliseconds.',
      answer: { status: 200, description: 'The events or causes.' },
    },
    handle: async ({ caller: { organization }, query }) => {
      const { group_by, limit, cursor, ...filter } = query;
      if (group_by === 'error') {
        return json((await deadLetters.causes(organization, filter)).map(presentCause));
      }
      const present = (records: readonly DeadLetterRecord[]) =>
        records.map((record) => presentDeadLetter(record, viewFor(organization)));
      if (limit === undefined && cursor === undefined) {
        return await jsonPieces(mapPieces(deadLetters.listAll(organization, filter), present));
      }
      const { records, next } = await deadLetters.list(organization, { ...filter, limit, cursor });
      return await jsonList(present(records), { headers: linkTo(collection, query, next) });
    },
  });
}

function getDeadLetter(deadLetters: DeadLetters, viewFor: ViewFor): Endpoint {
  return endpoint('getDeadLetter', {
    documentation: {
      tag,
      summary: 'Get an event that failed permanently',
      answer: { status: 200, description: 'The event.' },
      errors: ['dead_letter_not_found'],
    },
    handle: async ({ caller: { organization }, path: { event_id } }) =>
      json(
        presentDeadLetterDetail(
          await deadLetters.get(organization, event_id),
          viewFor(organization),
        ),
      ),
  });
}

function retryDeadLetter(deadLetters: DeadLetters, viewFor: ViewFor): Endpoint {
  return endpoint('retryDeadLetter', {
    documentation: {
      tag,
      summary: 'Retry an event',
      description:
        'Restarts the attempts with the same id. The event leaves the list, and returns to it when it fails permanently again.',
      answer: { status: 200, description: 'The requeued event.' },
      errors: ['dead_letter_not_found', 'dead_letter_superseded'],
    },
    handle: async ({ caller: { organization }, path: { event_id } }) =>
      json(
        presentDeadLetter(await deadLetters.retry(organization, event_id), viewFor(organization)),
      ),
  });
}

function retryAllDeadLetters(deadLetters: DeadLetters): Endpoint {
  return endpoint('retryAllDeadLetters', {
    documentation: {
      tag,
      summary: 'Retry all events',
      description:
        'Retries the events at a limited rate, oldest first. The first event of each cause is retried alone; the other events of the cause follow when it succeeds, and stay when it fails. Superseded events are removed and not counted. With `dry_run=true`, counts without retrying. Every event that is in the list is retried; their number comes from an index that follows the storage, normally within milliseconds.',
      answer: {
        status: 200,
        description: 'The retry is stored and runs in the background, unless it is a dry run.',
      },
    },
    handle: async ({ caller, query, about }) => {
      const { dry_run: dryRun, ...filter } = query;
      about(selectedBy(filter));
      const retried = await deadLetters.retryAll(caller.organization, { ...filter, dryRun });
      return json({ retried, retried_count: retried });
    },
  });
}

function getRedrive(deadLetters: DeadLetters): Endpoint {
  return endpoint('getRedrive', {
    documentation: {
      tag,
      summary: 'Get the progress of retrying all events',
      description:
        'Covers every retry that runs. When none runs, shows the result of the last one: `held` while events of causes that failed again are left. The counts come from an index that follows the storage, normally within milliseconds.',
      answer: { status: 200, description: 'The progress.' },
    },
    handle: async ({ caller }) =>
      json(presentRedrive(await deadLetters.redrive(caller.organization))),
  });
}

function deleteDeadLetter(deadLetters: DeadLetters): Endpoint {
  return endpoint('deleteDeadLetter', {
    documentation: {
      tag,
      summary: 'Delete an event that failed permanently',
      description: 'The resource of the event does not change.',
      answer: { status: 204, description: 'The event is deleted, or did not exist.' },
    },
    handle: async ({ caller, path: { event_id } }) => {
      await deadLetters.remove(caller.organization, event_id);
      return noContent;
    },
  });
}

function deleteDeadLetters(deadLetters: DeadLetters): Endpoint {
  return endpoint('deleteDeadLetters', {
    documentation: {
      tag,
      summary: 'Delete events that failed permanently',
      description:
        'Requires `all=true`, a provider or a cause. All filters must match; `all=true` beside a filter changes nothing.',
      answer: { status: 200, description: 'The events are deleted.' },
    },
    handle: async ({ caller, query, about }) => {
      about(selectedBy(query));
      const deleted = await deadLetters.removeAll(caller.organization, deletionFilter(query));
      return json({ deleted, deleted_count: deleted });
    },
  });
}

function selectedBy({ provider, cause }: DeadLetterFilter): Record<string, string> {
  return { ...(provider !== undefined && { provider }), ...(cause !== undefined && { cause }) };
}

/** @throws InvalidRequest when neither `all` nor a filter is given, so that nothing is deleted by accident */
function deletionFilter({
  all,
  provider,
  cause,
}: z.output<typeof DeleteDeadLetters>): DeadLetterFilter {
  if (provider !== undefined || cause !== undefined || all === true) return { provider, cause };
  const msg = 'Either all=true, provider or cause is required';
  throw new InvalidRequest([
    { loc: ['query', 'all'], msg, type: all === undefined ? 'missing' : 'value_error' },
    { loc: ['query', 'provider'], msg, type: 'missing' },
  ]);
}
