// Maps records of resources, types and projects to response bodies, whose members are in snake_case.
import type { z } from 'zod';
import type { Drift as DriftBody } from '../../api/schemas/observation.ts';
import type { Project } from '../../api/schemas/projects.ts';
import type * as types from '../../api/schemas/resource-types.ts';
import type { ResourceRecord as ResourceBody } from '../../api/schemas/resources.ts';
import type { Drift, RequestedObservation } from '../../domain/observation/drift.ts';
import type { Progress } from '../../domain/progress/value.ts';
import { resourceOptionFields } from '../../domain/resource-options.ts';
import { inFieldOrder } from '../../domain/schemas/field-order.ts';
import { typeOptionFields } from '../../domain/type-options.ts';
import { earlierVersionsBody } from '../../domain/type-version.ts';
import { bodyOf, changedBy, defaultsOf } from '../../lib/fields.ts';
import {
  isJsonArray,
  type JsonObject,
  type JsonValue,
  ownMember,
  pointerNames,
} from '../../lib/json.ts';
import type { DefinitionRecord, ProjectRecord, ResourceRecord } from '../../store/records.ts';
import type { CallerView, Masking } from './caller-view.ts';
import { etagHeader } from './etag.ts';
import { json, type RouteAnswer } from './send.ts';

type ResourceResponse<S extends z.ZodType> = z.input<S>;

export function presentResource(
  record: ResourceRecord,
  view: CallerView,
): ResourceResponse<typeof ResourceBody> {
  const { masking, projectName } = view;
  const hidden = masking?.mask(record);
  if (hidden === undefined && view.mayHaveSecrets(record)) view.onSecrets();
  const { config, outputs, adopt } = hidden ?? record;
  const masked = hidden?.masked ?? [];
  return {
    id: record.id,
    provider: record.provider,
    resource: record.resource,
    name: record.name,
    project_id: record.projectId,
    project_name: projectName(record.projectId),
    lifecycle_state: record.state,
    reason: record.reason,
    message: record.message,
    attempt: record.attempt,
    next_attempt_at: record.nextAttemptAt,
    progress: presentProgress(record.progress),
    config,
    type_version: record.typeVersion ?? null,
    outputs,
    tags: record.tags === null ? null : [...record.tags],
    error: record.error,
    dependencies: record.dependencies.map(({ provider, resource, name }) => ({
      provider,
      resource,
      name,
    })),
    ...bodyOf(resourceOptionFields, record),
    adopt: adopt ?? null,
    drift: presentDrift(record, masking),
    observation: presentObservation(record.observation),
    provider_version: record.providerVersion,
    applied_by: record.appliedBy,
    ...(record.appliedByName === undefined ? {} : { applied_by_name: record.appliedByName }),
    deletion_requested_at: record.deletionRequestedAt,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    ...(masked.length === 0 ? {} : { masked: [...masked] }),
  };
}

function presentObservation(observation: RequestedObservation | null) {
  return observation && { ...observation, exists: observation.exists ?? null };
}

export function presentProgress(progress: Progress | null) {
  if (progress === null) return null;
  const { done = null, total = null, message = null } = progress;
  return { done, total, message };
}

/** @returns the response with one resource and its ETag, which is the same for every caller */
export function answerWith(
  record: ResourceRecord,
  { view, headers }: { view: CallerView; headers?: Readonly<Record<string, string>> },
): RouteAnswer {
  return json(presentResource(record, view), { headers: { ...etagHeader(record), ...headers } });
}

export function presentDefinition(
  record: DefinitionRecord,
): ResourceResponse<typeof types.ResourceDefinition> {
  const values = changedBy(defaultsOf(typeOptionFields), record);
  const { observe: observable, ...options } = bodyOf(typeOptionFields, values);
  return {
    provider: record.provider,
    resource: record.resource,
    description: record.description,
    schema: record.schema && inFieldOrder(record.schema, record.fieldOrder),
    type_version: record.typeVersion,
    outputs_schema:
      record.outputsSchema && inFieldOrder(record.outputsSchema, record.outputsFieldOrder),
    earlier_versions: earlierVersionsBody(record),
    ...options,
    observable,
    adopt_schema: record.adoptSchema,
    tags: record.tags === null ? null : [...record.tags],
    retired: record.retired !== null,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}

export function presentProject(record: ProjectRecord): ResourceResponse<typeof Project> {
  return {
    project_id: record.projectId,
    organization_id: record.organizationId,
    name: record.name,
    managed_by: record.managedBy,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}

// Maps the drift of a record to its response. It is stored without the secrets of then; what has been marked since is left out for
// those who do not see secrets.

type DriftResponse = ReturnType<typeof DriftBody.parse>;

export function presentDrift(
  record: ResourceRecord,
  masking: Masking | undefined,
): DriftResponse | null {
  const { drift } = record;
  if (drift === null) return null;
  const isHidden = masking === undefined ? () => false : hiddenInDrift(record, drift, masking);
  const changes = drift.changes.map(({ path, declared, actual, omitted }) =>
    omitted || isHidden(path)
      ? { path, declared: null, actual: null, omitted: true as const }
      : { path, declared, actual },
  );
  return { ...drift, changes };
}

/** Both values of a place are hidden when one of them has a secret there, above or below. */
function hiddenInDrift(record: ResourceRecord, { changes }: Drift, { mask }: Masking) {
  const secrets = { ...record.secrets, adopt: undefined };
  const places = (['declared', 'actual'] as const).flatMap((side) => {
    const values = changes.map((each) => ({ names: pointerNames(each.path), value: each[side] }));
    const config = withValues(record.config, values) as JsonObject;
    return mask({ ...record, config, outputs: {}, secrets }).masked;
  });
  return (path: string) => {
    const at = `/config${path}`;
    return places.some(
      (each) => each === at || at.startsWith(`${each}/`) || each.startsWith(`${at}/`),
    );
  };
}

interface ChangedValue {
  readonly names: readonly string[];
  readonly value: JsonValue;
}

const index = /^\d+$/;

/** @returns the values at their places, and nothing beside them: a record may have fifty changes and thousands of other values */
function withValues(part: JsonValue | undefined, values: readonly ChangedValue[]): JsonValue {
  const whole = values.find(({ names }) => names.length === 0);
  if (whole !== undefined) return whole.value;
  const members = [...Map.groupBy(values, ({ names: [name = ''] }) => name)].map(
    ([name, within]) => {
      const below = within.map(({ names, value }) => ({ names: names.slice(1), value }));
      const inner = isJsonArray(part) ? part[Number(name)] : ownMember(part, name);
      return [name, withValues(inner, below)] as const;
    },
  );
  if (!(isJsonArray(part) && members.every(([name]) => index.test(name)))) {
    return Object.fromEntries(members);
  }
  const list: JsonValue[] = [];
  // It has holes: the place of an item may decide whether it is secret.
  for (const [name, value] of members) list[Number(name)] = value;
  return list;
}
