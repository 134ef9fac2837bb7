// The values that a planned change makes different in a resource, place by place, as its caller may see it.

import { slashed } from '../../domain/identity.ts';
import { defaultOptionsFor, resourceOptionFields } from '../../domain/resource-options.ts';
import { sameFields } from '../../domain/schemas/declared.ts';
import { maskedValue } from '../../domain/secrets/mask-text.ts';
import { type HiddenContents, withoutSecrets } from '../../domain/secrets/resource-secrets.ts';
import type { TypeSchemas } from '../../domain/secrets/type-schemas.ts';
import type { TypeWithSchemas } from '../../domain/type-version.ts';
import type { Budget } from '../../lib/budget.ts';
import { bodyOf, withoutDefaults } from '../../lib/fields.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
  pointer,
} from '../../lib/json.ts';
import { differencesWithin } from '../../lib/json-differences.ts';
import type { ResourceRecord } from '../../store/records.ts';

interface PlannedDifference {
  /** Such as `config.owner` or `tags`. */
  readonly path: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

interface DifferencesShown {
  /** Undefined: it is not known, and defaults are differences. */
  readonly type: TypeWithSchemas | undefined;
  readonly schemas: TypeSchemas | undefined;
  /** The budget of all records of the answer. */
  readonly budget: Budget;
  /** Hides what is sensitive. */
  readonly isMasked: boolean;
  readonly projectName: (projectId: string) => string;
  /** The id of the project of resources that name none, which is no difference. */
  readonly defaultProject: string;
}

export function plannedDifferences(
  before: ResourceRecord | undefined,
  after: ResourceRecord,
  shown: DifferencesShown,
): readonly PlannedDifference[] {
  const [left, right] = [before && appliedFields(before, shown), appliedFields(after, shown)];
  // A default that one side writes down is no difference.
  const isSame = before && sameFields(shown.type, [before, after], shown.budget);
  const found = [...differencesWithin(left, right)].filter(
    ({ path: [field, ...names] }) => field !== 'config' || isSame?.(names) !== true,
  );
  if (found.length === 0) return [];
  const [leftAt, rightAt] = [
    before && valueReader(before, left, shown),
    valueReader(after, right, shown),
  ];
  return found.map(({ path, ...difference }) => ({
    path: path.join('.'),
    ...('before' in difference ? { before: leftAt?.(path) ?? null } : {}),
    ...('after' in difference ? { after: rightAt(path) } : {}),
  }));
}

/** The parts of a record that an apply decides. */
function appliedFields(
  record: ResourceRecord,
  { projectName, defaultProject }: Pick<DifferencesShown, 'projectName' | 'defaultProject'>,
): JsonObject {
  const { config, tags, dependencies, adopt, state, projectId } = record;
  const options = withoutDefaults(resourceOptionFields, record, defaultOptionsFor(adopt));
  return {
    ...(state === 'draft' ? { state } : {}),
    ...(projectId === defaultProject ? {} : { project: projectName(projectId) }),
    config,
    ...(tags === null || tags.length === 0 ? {} : { tags }),
    ...(dependencies.length === 0 ? {} : { dependencies: dependencies.map(slashed) }),
    ...(adopt === null ? {} : { adopt }),
    ...(bodyOf(resourceOptionFields, options) as JsonObject),
  };
}

/** @returns what reads the value at a path, and what is masked there */
function valueReader(
  record: ResourceRecord,
  fields: JsonObject | undefined,
  { schemas, budget, isMasked }: DifferencesShown,
): (path: readonly string[]) => JsonValue {
  const hidden = isMasked ? withoutSecrets(record, schemas, budget) : undefined;
  const shown = hidden === undefined ? fields : { ...fields, ...hiddenFields(hidden) };
  const masked = new Set(hidden?.masked);
  return (path) => {
    let value: JsonValue | undefined = shown;
    let place = '';
    for (const step of path) {
      place = pointer(place, step);
      if (masked.has(place)) return maskedValue;
      value = isJsonObject(value) ? ownMember(value, step) : undefined;
    }
    return value ?? null;
  };
}

function hiddenFields({ config, adopt }: HiddenContents): JsonObject {
  return adopt === undefined ? { config } : { config, adopt };
}
