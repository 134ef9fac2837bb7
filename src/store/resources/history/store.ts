// Reads the history of a resource: its present content, and those that its ConfigMap has. Nobody sees secrets here.
import type { Resource } from '../../../crds/resource.ts';
import { shownName } from '../../../domain/actor.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { Organization, ResourceAddress } from '../../../domain/identity.ts';
import type { TypeWithSchemas } from '../../../domain/type-version.ts';
import type { KubeClient } from '../../../kube/api.ts';
import type { DefinitionStore, GetOptions } from '../../interfaces.ts';
import { configMapKind } from '../../kinds.ts';
import { read } from '../../put.ts';
import { find, isVisible, resourceNotFound } from '../lookup.ts';
import { type Change, changesBetween, type ShownEntry } from './changes.ts';
import { historyEntry, maskedAgain, type RevisionContent } from './contents.ts';
import { type HistoryObject, historyRef, judgedBy } from './keeper.ts';
import { markOf } from './mark.ts';
import { entriesIn, revisionsKept } from './slots.ts';

/** The time at which a revision was applied, and its author. */
interface AppliedRevision {
  readonly revision: number;
  readonly at: string | null;
  readonly by: string | null;
  /** Name of that subject. */
  readonly byName: string | undefined;
}

export interface RevisionRecord extends AppliedRevision {
  /** Null when nothing of the revision is kept. */
  readonly hash: string | null;
  readonly isCurrent: boolean;
  /** Whether its content is kept. */
  readonly isKept: boolean;
  /** Null when there is no revision before, or one of the two contents is not kept. */
  readonly changes: readonly Change[] | null;
}

export interface RevisionContentRecord extends AppliedRevision {
  readonly hash: string;
  readonly content: RevisionContent;
}

export interface HistoryStore {
  /** The present revision first. @throws FairleadError `resource_not_found` */
  list(
    organization: Organization,
    address: ResourceAddress,
    options: GetOptions,
  ): Promise<readonly RevisionRecord[]>;
  /** @throws FairleadError `resource_not_found`; `not_found` when the content is not kept */
  get(
    organization: Organization,
    address: ResourceAddress,
    options: GetOptions & { readonly revision: number },
  ): Promise<RevisionContentRecord>;
}

interface HistoryStoreDeps {
  readonly client: KubeClient;
  readonly definitions: Pick<DefinitionStore, 'schemasOf' | 'find'>;
}

export function createHistoryStore({ client, definitions }: HistoryStoreDeps): HistoryStore {
  /** @returns the entries by revision, and the present revision */
  async function opened(organization: Organization, address: ResourceAddress, options: GetOptions) {
    const resource = await find(client, organization, address);
    if (resource === undefined || !isVisible(resource, options)) throw resourceNotFound(address);
    const object = await read<HistoryObject>(client, configMapKind, historyRef(resource));
    const { provider, resource: name } = resource.spec;
    const type = await definitions.find(organization, provider, name);
    const schemas = definitions.schemasOf(organization, resource.spec);
    return { ...historyEntries(resource, object, schemas), type };
  }

  return {
    list: async (organization, address, options) =>
      recordsOf(await opened(organization, address, options)),
    get: async (organization, address, { revision, ...options }) => {
      const { entries } = await opened(organization, address, options);
      const entry = entries.get(revision);
      if (entry?.content !== undefined) {
        return { ...appliedIn(revision, entry), hash: entry.hash, content: entry.content };
      }
      const message = `Revision ${revision} of resource ${address.text} is not kept; its history lists those that are`;
      throw new FairleadError('not_found', message);
    },
  };
}

interface ShownEntries {
  readonly current: number;
  readonly entries: ReadonlyMap<number, ShownEntry>;
}

function historyEntries(
  resource: Resource,
  object: HistoryObject | undefined,
  schemas: Parameters<typeof maskedAgain>[1],
): ShownEntries {
  const present = historyEntry(markOf(resource), judgedBy(resource, schemas));
  // After a crash between the two writes of an apply, the ConfigMap has the present content as well.
  const earlier = entriesIn(object?.data).filter(({ revision }) => revision < present.revision);
  const shown = [...earlier, present].map((entry): [number, ShownEntry] => [
    entry.revision,
    { ...maskedAgain(entry, schemas), maskedThen: entry.content?.masked ?? [] },
  ]);
  return { current: present.revision, entries: new Map(shown) };
}

function recordsOf({
  current,
  entries,
  type,
}: ShownEntries & { readonly type: TypeWithSchemas | undefined }): readonly RevisionRecord[] {
  const count = Math.min(current, revisionsKept + 1);
  return Array.from({ length: count }, (_, at): RevisionRecord => {
    const revision = current - at;
    const entry = entries.get(revision);
    const before = entries.get(revision - 1);
    const changes = entry && before && changesBetween(before, entry, type);
    return {
      ...appliedIn(revision, entry),
      hash: entry?.hash ?? null,
      isCurrent: revision === current,
      isKept: entry?.content !== undefined,
      changes: changes ?? null,
    };
  });
}

function appliedIn(revision: number, entry: ShownEntry | undefined): AppliedRevision {
  const { at = null, by = null, name } = entry ?? {};
  return { revision, at, by, byName: shownName(by, name) };
}
