// Implements GET /resources/types/{provider}/{resource}/existing: what there is to import. The provider reads; nothing is written.
import { FairleadError } from '../../domain/errors.ts';
import { maxListCursorLength, maxListedItems } from '../../domain/event.ts';
import { namePattern, type ResourceTuple, slashed } from '../../domain/identity.ts';
import type { AskProvider, ProviderReply } from '../../domain/providers/provider-request.ts';
import { withoutSecretMembers } from '../../domain/secrets/leave-out.ts';
import { type TypeSchemas, typeSchemas } from '../../domain/secrets/type-schemas.ts';
import { type Budget, createBudget } from '../../lib/budget.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { inTimeSlices } from '../../lib/turns.ts';
import type { DefinitionStore } from '../../store/interfaces.ts';
import type { ImportRights } from '../../store/projects/import-rights.ts';
import type { ManagedObjects, Manager } from '../../store/resources/managed-objects/index.ts';
import type { Caller } from '../auth/claims.ts';
import { requireImportRight } from '../auth/import-right.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { linkTo, warningHeader } from '../response/headers.ts';
import { providerUnavailable, unusableAnswer } from '../response/provider-unavailable.ts';
import { jsonList } from '../response/send.ts';
import { retired } from './config-validator.ts';

interface ExistingObjectsDeps {
  readonly projects: ImportRights;
  readonly definitions: Pick<DefinitionStore, 'findFresh'>;
  readonly managedObjects: Pick<ManagedObjects, 'managerOf'>;
  readonly askProvider: AskProvider;
}

export function listExistingObjects(deps: ExistingObjectsDeps): Endpoint {
  return endpoint('listExistingObjects', {
    documentation: {
      tag: 'Types',
      summary: 'List the objects of a type that exist',
      description: `Asks the provider, which lists them in its own order, at most ${maxListedItems} at once. \`Link\` has the next page. \`managed_by\` names the resource that imported the object, or has the name of it.`,
      answer: {
        status: 200,
        description: 'The objects.',
        headers: {
          Warning: 'Present when a proposed name was left out, which no resource can have.',
        },
      },
      errors: ['not_found', 'not_listable', 'type_retired', 'unavailable'],
    },
    handle: async ({ caller, path, query, closed }) => {
      const { organization } = caller;
      const { provider, resource } = path;
      await requireImportRight(deps.projects, caller);
      const type = await deps.definitions.findFresh(organization, provider, resource);
      if (type === undefined) {
        throw new FairleadError('not_found', `Type ${provider}/${resource} is not registered`);
      }
      if (type.retired !== null) throw retired(path, type.retired);
      if (type.listable !== true) throw notListable(provider, resource);
      const { cursor = null } = query;
      const asked = { event_type: 'LIST', provider, resource, cursor } as const;
      const reply = await deps.askProvider(organization, asked, closed());
      const { items, next } = listedIn(reply, path);
      const shown = { schemas: typeSchemas(type), budget: createBudget() };
      const objects: object[] = [];
      let unnamed = 0;
      // The provider and the schema decide what an item costs: a thousand of them would hold up everybody.
      await inTimeSlices(items, (item) => {
        const { adopt, name } = item;
        const listed = { provider, resource, adopt, name };
        const manager = deps.managedObjects.managerOf(organization, listed);
        if (isHidden(manager, caller)) return;
        objects.push(objectShown(item, manager, shown));
        if (item.isNameLeftOut) unnamed += 1;
      });
      const here = `/resources/types/${provider}/${resource}/existing`;
      return await jsonList(objects, {
        headers: { ...linkTo(here, {}, next), ...warningHeader(namesLeftOut(unnamed)) },
      });
    },
  });
}

function namesLeftOut(count: number): readonly string[] {
  if (count === 0) return [];
  return [
    `The provider proposed ${count === 1 ? 'a name' : `${count} names`} that no resource can have`,
  ];
}

/** A resource of another project does not exist for a confined token, and neither does its object. */
function isHidden(manager: Manager | undefined, { project }: Pick<Caller, 'project'>): boolean {
  return project !== undefined && manager !== undefined && manager.projectId !== project;
}

function objectShown(
  { adopt, name, config }: ExistingItem,
  manager: Manager | undefined,
  { schemas, budget }: { readonly schemas: TypeSchemas; readonly budget: Budget },
) {
  const contents = { config: config ?? {}, outputs: {}, adopt };
  const left = withoutSecretMembers(contents, schemas, budget);
  return {
    adopt: left.adopt ?? {},
    name: name ?? null,
    config: config === undefined ? null : left.config,
    managed_by: manager === undefined ? null : slashed(manager),
  };
}

interface ExistingItem {
  readonly adopt: JsonObject;
  readonly name: string | undefined;
  /** The provider proposed one that no resource can have. */
  readonly isNameLeftOut: boolean;
  readonly config: JsonObject | undefined;
}

interface ListedObjects {
  readonly items: readonly ExistingItem[];
  readonly next: string | undefined;
}

/** @throws FairleadError `not_listable`, `unavailable` */
function listedIn(reply: ProviderReply, type: Omit<ResourceTuple, 'name'>): ListedObjects {
  switch (reply.kind) {
    case 'done':
      return pageIn(reply.body, type);
    case 'refused':
    case 'unavailable':
      throw providerUnavailable(reply.message);
    case 'unknown':
      throw notListable(type.provider, type.resource);
  }
}

/** @throws FairleadError `unavailable` */
function pageIn(
  { items, cursor = '' }: JsonObject,
  { provider }: Omit<ResourceTuple, 'name'>,
): ListedObjects {
  const isCursor = typeof cursor === 'string' && cursor.length <= maxListCursorLength;
  if (!isJsonArray(items) || items.length > maxListedItems || !isCursor) throw notPage(provider);
  const listed = items.map(itemIn);
  if (!listed.every((each) => each !== undefined)) throw notPage(provider);
  return { items: listed, next: cursor === '' ? undefined : cursor };
}

function notPage(provider: string): FairleadError {
  const expected = `{"items":[{"adopt":{…}}]} with at most ${maxListedItems} items, and a cursor of at most ${maxListCursorLength} characters`;
  return unusableAnswer(provider, 'LIST', expected);
}

function itemIn(item: JsonValue): ExistingItem | undefined {
  const { adopt, name, config } = isJsonObject(item) ? item : {};
  if (!isJsonObject(adopt)) return undefined;
  const isName = typeof name === 'string' && namePattern.test(name);
  return {
    adopt,
    // People copy it into commands and files: it is a name only if a resource can have it.
    name: isName ? name : undefined,
    isNameLeftOut: typeof name === 'string' && !isName,
    config: isJsonObject(config) ? config : undefined,
  };
}

function notListable(provider: string, resource: string): FairleadError {
  const message = `Provider ${provider} does not list objects of type ${resource}; import an object by what identifies it, or deploy a version of the provider with the handler list`;
  return new FairleadError('not_listable', message);
}
