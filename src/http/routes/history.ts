// Implements /resources/{id}/history: the contents that a resource has and had, who applied them, and what changed.
import type { z } from 'zod';
import { HistoryEntry, ResourceRevision } from '../../api/schemas/history.ts';
import type { GetResourceQuery } from '../../api/schemas/resources.ts';
import {
  type ResourceAddress,
  type ResourceTuple,
  resourceAddress,
} from '../../domain/identity.ts';
import { firstTypeVersion } from '../../domain/type-version.ts';
import type {
  HistoryStore,
  RevisionContentRecord,
  RevisionRecord,
} from '../../store/resources/history/store.ts';
import type { Caller } from '../auth/authenticate.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { presenterOf } from '../response/body.ts';
import { json } from '../response/send.ts';

export interface HistoryRoutesDeps {
  readonly history: HistoryStore;
}

const entryBody = presenterOf(HistoryEntry);
const revisionBody = presenterOf(ResourceRevision);

const tag = 'Resources';
const errors = ['resource_not_found'] as const;
const listing = {
  tag,
  summary: 'List the revisions of a resource',
  description:
    'The present one first, and at most nine before it. A revision is state, config and dependencies; tags and retries make none. What the schema marks as sensitive is hidden from everybody.',
  answer: { status: 200, description: 'The revisions.' },
  errors,
};

type HistoryQuery = z.output<typeof GetResourceQuery>;

export function historyRoutes({ history }: HistoryRoutesDeps): readonly Endpoint[] {
  const list = async (caller: Caller, address: ResourceAddress, query: HistoryQuery) =>
    json(
      (await history.list(caller.organization, address, historyOptions(caller, query))).map(
        presentRevision,
      ),
    );
  return [
    endpoint('listResourceHistory', {
      documentation: listing,
      handle: ({ caller, path: { resource_id }, query }) => list(caller, resource_id, query),
    }),
    endpoint('listResourceHistoryByName', {
      documentation: listing,
      handle: ({ caller, path, query }) => list(caller, resourceAddress(path), query),
    }),
    endpoint('getResourceRevision', {
      documentation: {
        tag,
        summary: 'Get a revision of a resource',
        description:
          'Applying its config again restores it. Secrets are not kept: they are null, and `masked` has their paths, also for the present revision.',
        answer: { status: 200, description: 'The revision.' },
        errors,
      },
      handle: async ({ caller, path: { revision, ...tuple }, query }) => {
        const options = { ...historyOptions(caller, query), revision: Number(revision) };
        const found = await history.get(caller.organization, resourceAddress(tuple), options);
        return json(presentContent(found));
      },
    }),
  ];
}

function historyOptions({ project }: Caller, { deleting }: HistoryQuery) {
  return { scope: project, deleting: deleting !== undefined };
}

function presentRevision(record: RevisionRecord) {
  const { isCurrent: current, isKept: kept } = record;
  return entryBody({ ...record, ...applyBody(record), current, kept });
}

function presentContent(record: RevisionContentRecord) {
  const { content } = record;
  return revisionBody({
    ...record,
    ...content,
    ...applyBody(record),
    lifecycleState: content.lifecycle === 'Draft' ? 'draft' : 'pending',
    typeVersion: content.typeVersion === undefined ? firstTypeVersion : content.typeVersion,
    dependencies: content.dependencies.map(parseTuple),
  });
}

function applyBody({ at, by, byName }: Pick<RevisionRecord, 'at' | 'by' | 'byName'>) {
  return { appliedAt: at, appliedBy: by, appliedByName: byName };
}

function parseTuple(text: string): ResourceTuple {
  const [provider = '', resource = '', name = ''] = text.split('/');
  return { provider, resource, name };
}
