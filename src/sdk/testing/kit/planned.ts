// Refuses applies of a resource of a test as Fairlead does: changes of immutable fields, and what `plan` of the type refuses.
import {
  changedImmutables,
  immutableRuleOfType,
} from '../../../domain/schemas/immutable-changes.ts';
import { firstTypeVersion, typeVersionsIn } from '../../../domain/type-version.ts';
import { type JsonObject, pointer } from '../../../lib/json.ts';
import { thrownText } from '../../failure-text.ts';
import { type PlanOutcome, planMembers } from '../../planning/plan.ts';
import type { ResourceType } from '../../provider.ts';
import { registrationOf } from '../contract/schemas.ts';
import type { Delivering } from './deliver.ts';
import type { PlanRefused } from './kit-resource.ts';
import type { Process } from './process.ts';

interface PlannedApply {
  readonly organization: string;
  readonly name: string;
  readonly wanted: { readonly config: JsonObject; readonly version: number };
  /** The last success; undefined when `create` would be called. */
  readonly before:
    | {
        readonly config: JsonObject;
        readonly version: number;
        readonly outputs: JsonObject;
        readonly outputsVersion: number;
      }
    | undefined;
}

/** @returns what `plan` says of one config; undefined when the type has none */
export async function plannedBy(
  { type, process, log }: Pick<Delivering, 'log'> & { type: ResourceType; process: Process },
  { organization, name, wanted, before }: PlannedApply,
): Promise<PlanOutcome | undefined> {
  if (type.plan === undefined) return undefined;
  const member = {
    ...{ project_id: 'default', name },
    ...{ config: wanted.config, schema_version: wanted.version, unknown: [] },
    previous_config: before?.config ?? null,
    previous_schema_version: before?.version ?? null,
    outputs: before?.outputs ?? {},
    outputs_schema_version: before?.outputsVersion ?? type.version ?? firstTypeVersion,
  };
  const { signal } = new AbortController();
  const body = { organization_id: organization, members: [member] };
  const [plan] = await planMembers(type, body, { ...process, log, signal });
  return plan;
}

/** @returns the refusal of a config in which fields differ that cannot change while the object exists; undefined without any */
export function refusedImmutables(
  type: ResourceType,
  { wanted, before }: Pick<PlannedApply, 'wanted' | 'before'>,
): PlanRefused | undefined {
  const provider = { name: 'testing', types: new Map([[type.name, type]]) };
  const registration = registrationOf(provider, type.name);
  if (registration === undefined || before === undefined) return undefined;
  const versions = { ...typeVersionsIn(registration), schema: registration.schema };
  const rule = immutableRuleOfType(versions, before.version, wanted.version);
  const resolution = { config: wanted.config, unresolved: [] };
  const changed = changedImmutables(rule, before.config, resolution);
  const replaces = changed.map((path) => path.reduce(pointer, ''));
  return replaces.length === 0 ? undefined : { state: 'refused', refusals: [], replaces };
}

/**
 * @returns undefined when the config is accepted
 * @throws Error when the rules could not be applied
 */
export async function refusedByPlan(
  content: PlannedApply,
  { type, processes, log }: Pick<Delivering, 'type' | 'processes' | 'log'>,
): Promise<PlanRefused | undefined> {
  const plan = await plannedBy({ type, process: processes.current(), log }, content);
  if (plan === undefined) return undefined;
  if ('thrown' in plan) {
    const said = thrownText(plan.thrown, 'plan');
    throw new Error(`plan of type ${type.name} failed: ${said}`, { cause: plan.thrown });
  }
  const { refusals } = plan;
  const replaces = content.before === undefined ? [] : plan.replaces;
  if (refusals.length + replaces.length === 0) return undefined;
  return { state: 'refused', refusals, replaces };
}
