// Implements POST /resources/apply and PATCH of a resource: both write intent, or preview it; reconcilers do the rest.

import type { z } from 'zod';
import type { ApplyResource, UpdateResource } from '../../api/schemas/resources.ts';
import { applyPlans } from '../../domain/apply-plans.ts';
import { FairleadError } from '../../domain/errors.ts';
import {
  idOf,
  type ResourceAddress,
  type ResourceTuple,
  resourceAddress,
  slashed,
} from '../../domain/identity.ts';
import { resourceOptionFields } from '../../domain/resource-options.ts';
import { immutableRuleOfType } from '../../domain/schemas/immutable-changes.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { valuesIn } from '../../lib/fields.ts';
import { type JsonObject, jsonBytes } from '../../lib/json.ts';
import { inSpan, noTracer, type Tracer } from '../../lib/tracer.ts';
import type {
  AskAuthors,
  DefinitionStore,
  ImmutableFields,
  Precondition,
  ResourceStore,
} from '../../store/interfaces.ts';
import type { ImportRights } from '../../store/projects/import-rights.ts';
import type { ProjectNames } from '../../store/projects/names.ts';
import type { ResourceRecord, WantedResource } from '../../store/records.ts';
import type { ManagedObjects } from '../../store/resources/managed-objects/index.ts';
import { actorOf, type Caller } from '../auth/claims.ts';
import { requireImportRight } from '../auth/import-right.ts';
import type { AuthorRules } from '../author-rules/index.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { forcedByHeader, forcedByHeaderOf, planHeader, planHeaderOf } from '../request/dry-run.ts';
import { projectIdIn } from '../request/project.ts';
import { callerView } from '../response/caller-view.ts';
import type { UnexpectedFailure } from '../response/errors.ts';
import { warningHeader } from '../response/headers.ts';
import { answerWith } from '../response/resource.ts';
import type { RouteAnswer } from '../response/send.ts';
import { type ApplyWarnings, noWarnings, warningsOf } from './apply-warnings.ts';
import { configValidator } from './config-validator.ts';
import { observingValidator } from './observing-validator.ts';
import type { OpenRequest, ResourceWaits } from './resource-waits.ts';
import { usesValidator } from './uses-validator.ts';

export interface ApplyRoutesDeps {
  readonly projects: ImportRights;
  readonly resources: Pick<ResourceStore, 'apply' | 'previewApply'>;
  readonly managedObjects: Pick<ManagedObjects, 'requireUntaken'>;
  readonly definitions: Pick<DefinitionStore, 'find' | 'findFresh' | 'list' | 'schemasOf'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
  readonly authorRules: AuthorRules;
  readonly projectNames: ProjectNames;
  /** The largest config, in bytes of compact JSON. */
  readonly configBytes: number;
  readonly waits: Pick<ResourceWaits, 'applied'>;
  readonly tracer?: Tracer;
}

interface UpdateRoutesDeps extends ApplyRoutesDeps {
  readonly resources: Pick<ResourceStore, 'apply' | 'previewApply' | 'get'>;
}

const applying = [
  'A `draft` is only stored. For `pending`, the type must be registered and the config valid, and the resource is sent to its provider.',
  'A type with `plan` has rules beside its schema: a process of its provider that is ready is asked about a changed content, and refuses it (422, at the place in the config) before anything is stored.',
  'Repeating a request changes nothing, so a retry is safe.',
  'With `adopt`, the first event of a resource is an OBSERVE: the object that exists is taken over as it is, and nothing is created or changed.',
  'With `Prefer: wait`, answers when the resource is ready or failed, or when the time is up.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what callers write
  'A string in the config may be, or contain, `${provider/resource/name.outputs.path}`: an output of another resource of the project, on which this resource then depends. A preceding `$` escapes it.',
].join(' ');

const answer = {
  status: 200,
  description: 'The current resource; with `dry_run=true`, the resource as it would be.',
} as const;
const etag =
  'Version of the resource, for `If-Match`. With `dry_run=true`, the version that would be changed; absent when the resource would be created.';

export const applyErrors = [
  'outside_project',
  'object_not_found',
  'object_taken',
  'resource_busy',
  'resource_committed',
  'resource_deleting',
  'resource_protected',
  'resource_in_use',
  'provider_deleting',
  'type_retired',
  'unknown_type',
  'limit_reached',
  'precondition_failed',
  'plan_required',
] as const;

export function applyResource(deps: ApplyRoutesDeps): Endpoint {
  return endpoint('applyResource', {
    documentation: {
      tag: 'Resources',
      summary: 'Create a resource, or update it if it exists',
      description: applying,
      answer: {
        ...answer,
        headers: {
          ETag: etag,
          ...planHeaderOf(...applyPlans),
          ...forcedByHeaderOf,
          Warning:
            'Present when the config has an earlier version of the type than the newest, when a reference reads an output that its type permits and does not describe, and when the rules of the author of the type could not be applied.',
        },
      },
      errors: applyErrors,
    },
    handle: async ({ body, query: { dry_run: isPreview, replace }, ...request }) => {
      const projectId = await wantedProject(body, request.caller, deps);
      const wanted = { ...wantedFrom(body, projectId), replace };
      requireSmallContent(wanted, deps);
      return await writeResource(deps, request, wanted, isPreview);
    },
  });
}

const updating = {
  tag: 'Resources',
  summary: 'Change options of a resource',
  description:
    'Omitted options stay as they are. The content stays, so nothing is sent to the provider, unless `management` changes. Accepted in every state; in deletion, only lifting what holds it up. With `Prefer: wait`, answers when the resource is ready or failed, or when the time is up.',
  answer: { ...answer, headers: { ETag: etag, ...planHeaderOf('options', 'none') } },
  errors: [
    'resource_not_found',
    'outside_project',
    'object_taken',
    'resource_deleting',
    'provider_deleting',
    'type_retired',
    'unknown_type',
    'limit_reached',
    'precondition_failed',
    'plan_required',
  ] as const,
};

export function updateResource(deps: UpdateRoutesDeps): readonly Endpoint[] {
  return [
    endpoint('updateResource', {
      documentation: updating,
      handle: ({ path: { resource_id: address }, body, query: { dry_run }, ...request }) =>
        update(deps, request, { address, body, isPreview: dry_run }),
    }),
    endpoint('updateResourceByName', {
      documentation: updating,
      handle: ({ path: tuple, body, query: { dry_run }, ...request }) =>
        update(deps, request, { address: resourceAddress(tuple), body, isPreview: dry_run }),
    }),
  ];
}

interface Update {
  readonly address: ResourceAddress;
  readonly body: z.output<typeof UpdateResource>;
  readonly isPreview: boolean;
}

async function update(
  deps: UpdateRoutesDeps,
  request: WriteRequest,
  { address, body, isPreview }: Update,
): Promise<RouteAnswer> {
  const { organization, project: scope } = request.caller;
  const { provider, resource, name } = await deps.resources.get(organization, address, {
    scope,
    deleting: true,
  });
  const wanted = {
    tuple: { provider, resource, name },
    ...{ config: undefined, lifecycle: undefined, tags: undefined, dependencies: undefined },
    projectId: undefined,
    options: valuesIn(resourceOptionFields, body),
  };
  return await writeResource(deps, request, wanted, isPreview);
}

export interface WriteRequest extends OpenRequest {
  readonly about: (facts: { readonly resource_id: string }) => void;
  readonly precondition: () => Precondition | undefined;
  readonly traceparent: string | undefined;
  readonly accept: string;
  readonly onUnexpected: (failure: UnexpectedFailure) => void;
}

async function writeResource(
  deps: ApplyRoutesDeps,
  { precondition, ...request }: WriteRequest,
  wanted: WantedResource,
  isPreview: boolean,
): Promise<RouteAnswer> {
  const { caller, about } = request;
  const { tuple } = wanted;
  about({ resource_id: idOf(tuple) });
  await requireMayImport(deps, caller, wanted);
  const { organization, project: scope } = caller;
  const warnings = noWarnings();
  const checks = checksOf(deps, caller, { tuple, warnings });
  const askAuthors = askingAuthors(deps, request, () => warnings);
  const by = actorOf(caller);
  const options = { scope, ...checks, askAuthors, by, precondition: precondition() };
  const withWarning = async (record: ResourceRecord, response: RouteAnswer) => {
    const warned = await warningsOf(deps, caller, { wanted, record, warnings });
    return { ...response, headers: { ...response.headers, ...warningHeader(warned) } };
  };
  if (!isPreview) {
    const { tracer = noTracer } = deps;
    const span = tracer.start('apply', {
      kind: 'internal',
      parent: request.traceparent,
      attributes: { 'fairlead.resource': slashed(tuple) },
    });
    const record = await inSpan(span, (traceparent) =>
      deps.resources.apply(organization, wanted, { ...options, traceparent }),
    );
    return await withWarning(record, await deps.waits.applied(request, record));
  }
  const plan = await deps.resources.previewApply(organization, wanted, options);
  const { change, record, forcedBy } = plan;
  const view = callerView(request, deps);
  const headers = { ...planHeader(change), ...forcedByHeader(forcedBy) };
  return await withWarning(record, answerWith(record, { headers, view }));
}

/** @throws FairleadError `outside_project` for an import by who may not import */
export async function requireMayImport(
  { projects }: Pick<ApplyRoutesDeps, 'projects'>,
  caller: Caller,
  { adopt, options }: WantedResource,
): Promise<void> {
  if (adopt || options?.management === 'observed') await requireImportRight(projects, caller);
}

/** @param warnings receives what is accepted, and most likely a mistake */
export function checksOf(
  deps: Pick<ApplyRoutesDeps, 'definitions' | 'schemas' | 'managedObjects'>,
  caller: Caller,
  { tuple, warnings }: { readonly tuple: ResourceTuple; readonly warnings: ApplyWarnings },
) {
  const about = { caller, tuple };
  return {
    validateConfig: configValidator(deps, about, (version) => {
      warnings.version = version;
    }),
    validateUses: usesValidator(deps.definitions, about, (uses) => {
      warnings.uses = uses;
    }),
    validateObserving: observingValidator(deps, caller, tuple),
    immutableFields: immutableFieldsOf(deps.definitions, caller, tuple),
  };
}

/** @param warningsAbout receives for a resource what is accepted without the rules of its author */
export function askingAuthors(
  { authorRules }: Pick<ApplyRoutesDeps, 'authorRules'>,
  { caller: { organization }, closed }: Pick<OpenRequest, 'caller' | 'closed'>,
  warningsAbout: (tuple: ResourceTuple) => ApplyWarnings | undefined,
): AskAuthors {
  return async (contents) => {
    if (contents.length === 0) return [];
    const warn = (about: ResourceTuple, sentence: string) => {
      const warnings = warningsAbout(about);
      if (warnings !== undefined) warnings.rules = [...new Set([...warnings.rules, sentence])];
    };
    return await authorRules({ organization, contents, signal: closed(), warn });
  };
}

/** @throws FairleadError `too_large` */
export function requireSmallContent(
  { config = {}, adopt }: WantedResource,
  deps: Pick<ApplyRoutesDeps, 'configBytes'>,
): void {
  requireSmall('config', config, deps);
  requireSmall('adopt', adopt ?? {}, deps);
}

function requireSmall(
  field: string,
  value: JsonObject,
  { configBytes }: Pick<ApplyRoutesDeps, 'configBytes'>,
): void {
  if (jsonBytes(value) <= configBytes) return;
  throw new FairleadError('too_large', `The ${field} is larger than ${configBytes} bytes`);
}

export async function wantedProject(
  { project_id: text }: Pick<z.output<typeof ApplyResource>, 'project_id'>,
  caller: Caller,
  { projectNames }: Pick<ApplyRoutesDeps, 'projectNames'>,
): Promise<string | undefined> {
  if (typeof text !== 'string') return undefined;
  return await projectIdIn(projectNames, { caller, text, loc: ['body', 'project_id'] });
}

export function wantedFrom(
  body: z.output<typeof ApplyResource>,
  projectId: string | undefined,
): WantedResource {
  const { provider, resource, name, config, lifecycle_state, tags, dependencies } = body;
  const typeVersion = body.type_version ?? undefined;
  return {
    tuple: { provider, resource, name },
    config,
    typeVersion,
    lifecycle: lifecycle_state,
    // Both are sets: duplicates are dropped.
    tags: tags ? [...new Set(tags)] : tags,
    dependencies: dependencies && uniqueTuples(dependencies),
    projectId,
    options: valuesIn(resourceOptionFields, body),
    adopt: body.adopt,
  };
}

function uniqueTuples<T extends ResourceTuple>(tuples: readonly T[]): readonly T[] {
  return [...new Map(tuples.map((each) => [slashed(each), each])).values()];
}

/** The store calls it once the config is valid: the definition in the cache is then that which it was validated by. */
function immutableFieldsOf(
  definitions: Pick<DefinitionStore, 'find'>,
  { organization }: Caller,
  { provider, resource }: ResourceTuple,
): ImmutableFields {
  return async (applied, wanted) => {
    const type = await definitions.find(organization, provider, resource);
    return type && immutableRuleOfType(type, applied, wanted ?? type.typeVersion);
  };
}
