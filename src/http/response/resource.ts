// Maps records of resources, types and projects to response bodies, whose members are in snake_case.
import type { Drift as DriftBody } from '../../api/schemas/observation.ts';
import { Project } from '../../api/schemas/projects.ts';
import { ResourceDefinition } from '../../api/schemas/resource-types.ts';
import { ResourceRecord as ResourceBody } from '../../api/schemas/resources.ts';
import type { Drift } from '../../domain/observation/drift.ts';
import type { Progress } from '../../domain/progress/value.ts';
import { inFieldOrder } from '../../domain/schemas/field-order.ts';
import { typeOptionFields } from '../../domain/type-options.ts';
import { changedBy, defaultsOf } from '../../lib/fields.ts';
import {
  isJsonArray,
  type JsonObject,
  type JsonValue,
  ownMember,
  pointerNames,
} from '../../lib/json.ts';
import type { DefinitionRecord, ResourceRecord } from '../../store/records.ts';
import { presenterOf } from './body.ts';
import type { CallerView, Masking } from './caller-view.ts';
import { etagHeader } from './etag.ts';
import { json, type RouteAnswer } from './send.ts';

const resourceBody = presenterOf(ResourceBody);
const definitionBody = presenterOf(ResourceDefinition);

export function presentResource(record: ResourceRecord, view: CallerView) {
  const { masking, projectName } = view;
  const hidden = masking?.mask(record);
  if (hidden === undefined && view.mayHaveSecrets(record)) view.onSecrets();
  const { config, outputs, adopt } = hidden ?? record;
  const masked = hidden?.masked ?? [];
  return resourceBody({
    ...record,
    config,
    outputs,
    adopt,
    projectName: projectName(record.projectId),
    lifecycleState: record.state,
    progress: progressBody(record),
    drift: presentDrift(record, masking),
    masked: masked.length === 0 ? undefined : masked,
  });
}

/** @returns the progress with all of its members */
export function progressBody({ progress }: { readonly progress: Progress | null }) {
  return progress && { done: progress.done, total: progress.total, message: progress.message };
}

/** @returns the response with one resource and its ETag, which is the same for every caller */
export function answerWith(
  record: ResourceRecord,
  { view, headers }: { view: CallerView; headers?: Readonly<Record<string, string>> },
): RouteAnswer {
  return json(presentResource(record, view), { headers: { ...etagHeader(record), ...headers } });
}

export function presentDefinition(record: DefinitionRecord) {
  const options = changedBy(defaultsOf(typeOptionFields), record);
  return definitionBody({
    ...record,
    ...options,
    schema: record.schema && inFieldOrder(record.schema, record.fieldOrder),
    outputsSchema:
      record.outputsSchema && inFieldOrder(record.outputsSchema, record.outputsFieldOrder),
    observable: options.observe,
    retired: record.retired !== null,
  });
}

export const presentProject = presenterOf(Project);

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
