// Implements POST /resources/apply: it writes intent, or previews it; reconcilers do the rest.

import type { z } from 'zod';
import type { ApplyResource } from '../../api/schemas/resources.ts';
import { applyPlans } from '../../domain/apply-plans.ts';
import { FairleadError } from '../../domain/errors.ts';
import { idOf, type ResourceTuple, slashed } from '../../domain/identity.ts';
import { resourceOptionFields } from '../../domain/resource-options.ts';
import { immutableFieldsOfType } from '../../domain/schemas/immutable-changes.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { valuesIn } from '../../lib/fields.ts';
import { type JsonObject, jsonBytes } from '../../lib/json.ts';
import { inSpan, noTracer, type Tracer } from '../../lib/tracer.ts';
import type { DefinitionStore, ImmutableFields, ResourceStore } from '../../store/interfaces.ts';
import type { ImportRights } from '../../store/projects/import-rights.ts';
import type { ProjectNames } from '../../store/projects/names.ts';
import type { WantedResource } from '../../store/records.ts';
import type { ManagedObjects } from '../../store/resources/managed-objects/index.ts';
import { actorOf, type Caller } from '../auth/claims.ts';
import { requireImportRight } from '../auth/import-right.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { forcedByHeader, forcedByHeaderOf, planHeader, planHeaderOf } from '../request/dry-run.ts';
import { projectIdIn } from '../request/project.ts';
import { callerView } from '../response/caller-view.ts';
import { answerWith } from '../response/resource.ts';
import type { Answer } from '../response/send.ts';
import { warningHeader } from '../response/warning.ts';
import { configValidator } from './config-validator.ts';
import { observingValidator } from './observing-validator.ts';
import type { ResourceWaits } from './resource-waits.ts';
import { earlierVersion } from './type-versions.ts';
import { usesValidator } from './uses-validator.ts';

export interface ApplyRoutesDeps {
  readonly projects: ImportRights;
  readonly resources: Pick<ResourceStore, 'apply' | 'previewApply'>;
  readonly managedObjects: Pick<ManagedObjects, 'requireUntaken'>;
  readonly definitions: Pick<DefinitionStore, 'find' | 'findFresh' | 'list' | 'schemasOf'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
  readonly projectNames: ProjectNames;
  /** The largest config, in bytes of compact JSON. */
  readonly configBytes: number;
  readonly waits: Pick<ResourceWaits, 'applied'>;
  readonly tracer?: Tracer;
}

const applying = [
  'A `draft` is only stored. For `pending`, the type must be registered and the config valid, and the resource is sent to its provider.',
  'Repeating a request changes nothing, so a retry is safe.',
  'With `adopt`, the first event of a resource is an OBSERVE: the object that exists is taken over as it is, and nothing is created or changed.',
  'With `Prefer: wait`, answers when the resource is ready or failed, or when the time is up.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what callers write
  'A string in the config may be, or contain, `${provider/resource/name.outputs.path}`: an output of another resource of the project, on which this resource then depends. A preceding `$` escapes it.',
].join(' ');

export function applyResource(deps: ApplyRoutesDeps): Endpoint {
  const { tracer = noTracer } = deps;
  const spanOf = ({ tuple }: WantedResource, parent: string | undefined) =>
    tracer.start('apply', {
      kind: 'internal',
      parent,
      attributes: { 'fairlead.resource': slashed(tuple) },
    });
  return endpoint('applyResource', {
    documentation: {
      tag: 'Resources',
      summary: 'Create a resource, or update it if it exists',
      description: applying,
      answer: {
        status: 200,
        description: 'The current resource; with `dry_run=true`, the resource as it would be.',
        headers: {
          ETag: 'Version of the resource, for `If-Match`. With `dry_run=true`, the version that would be changed; absent when the resource would be created.',
          ...planHeaderOf(...applyPlans),
          ...forcedByHeaderOf,
          Warning:
            'Present when `type_version` is not the newest version of the type, and when a reference reads an output that its type permits and does not describe.',
        },
      },
      errors: [
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
      ],
    },
    handle: async ({ body, query: { dry_run, replace }, precondition, ...request }) => {
      const { caller, about } = request;
      const wanted = { ...wantedFrom(body, await projectIn(body, caller, deps)), replace };
      about({ resource_id: idOf(wanted.tuple) });
      if (wanted.adopt || body.management === 'observed') {
        await requireImportRight(deps.projects, caller);
      }
      requireSmall('config', wanted.config ?? {}, deps);
      requireSmall('adopt', wanted.adopt ?? {}, deps);
      const validateConfig = configValidator(deps, caller, wanted.tuple);
      const { organization, project: scope } = caller;
      const warnings: string[] = [];
      const validateUses = usesValidator(
        deps.definitions,
        { caller, tuple: wanted.tuple },
        warnings,
      );
      const by = actorOf(caller);
      const fields = immutableFieldsOf(deps.definitions, caller, wanted.tuple);
      const validateObserving = observingValidator(deps, caller, wanted.tuple);
      const checks = { validateConfig, validateUses, validateObserving, immutableFields: fields };
      const options = { scope, ...checks, by, precondition: precondition() };
      const withWarning = async (answer: Answer): Promise<Answer> => {
        const { provider, resource } = wanted.tuple;
        const type = await deps.definitions.find(organization, provider, resource);
        const warned = [earlierVersion(type, wanted.typeVersion) ?? [], warnings].flat();
        return { ...answer, headers: { ...answer.headers, ...warningHeader(warned) } };
      };
      if (!dry_run) {
        const record = await inSpan(spanOf(wanted, request.traceparent), (traceparent) =>
          deps.resources.apply(organization, wanted, { ...options, traceparent }),
        );
        return withWarning(await deps.waits.applied(request, record));
      }
      const plan = await deps.resources.previewApply(organization, wanted, options);
      const { change, record, forcedBy } = plan;
      const view = callerView(request, deps);
      const headers = { ...planHeader(change), ...forcedByHeader(forcedBy) };
      return withWarning(answerWith(record, { headers, view }));
    },
  });
}

function requireSmall(
  field: string,
  value: JsonObject,
  { configBytes }: Pick<ApplyRoutesDeps, 'configBytes'>,
): void {
  if (jsonBytes(value) <= configBytes) return;
  throw new FairleadError('too_large', `The ${field} is larger than ${configBytes} bytes`);
}

async function projectIn(
  { project_id: text }: z.output<typeof ApplyResource>,
  caller: Caller,
  { projectNames }: ApplyRoutesDeps,
): Promise<string | undefined> {
  if (typeof text !== 'string') return undefined;
  return await projectIdIn(projectNames, { caller, text, loc: ['body', 'project_id'] });
}

function wantedFrom(
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
    return type === undefined
      ? []
      : immutableFieldsOfType(type, applied, wanted ?? type.typeVersion);
  };
}
