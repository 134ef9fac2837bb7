// Calls `plan` of a type for the resources of one apply, and reads what it returns.
import {
  maxPlanOutputsBytes,
  maxPlanReplacements,
  maxPlanSentence,
  type PlanBody,
  type PlanMemberBody,
  planLimitMs,
  type RefusalBody,
} from '../../domain/event.ts';
import { aborted } from '../../lib/abort.ts';
import { type JsonObject, jsonBytes } from '../../lib/json.ts';
import { oneLine, truncate } from '../../lib/text.ts';
import { asJson } from '../as-json.ts';
import { type AnyObject, type HandlerLog, ownerOf, type PlanCall } from '../call.ts';
import { issueText } from '../failure-text.ts';
import { newestConfig, priorValues } from '../migrations/event-values.ts';
import type { ResourceType } from '../provider.ts';
import { knownConfig } from './known-config.ts';
import { isRefusal, isReplacement } from './results.ts';

interface PlanSurroundings {
  readonly settings: AnyObject;
  readonly started: AnyObject;
  readonly log: HandlerLog;
  readonly signal: AbortSignal;
}

/** The rules of a type about one config. */
export interface MemberRules {
  readonly refusals: readonly RefusalBody[];
  /** JSON Pointers in the config. */
  readonly replaces: readonly string[];
  /** Known before the event. */
  readonly outputs: JsonObject | undefined;
}

/** `thrown`: the rules could not be applied. */
export type PlanOutcome = MemberRules | { readonly thrown: unknown };

const accepted: MemberRules = { refusals: [], replaces: [], outputs: undefined };

/** Members whose `plan` runs at the same time. */
const atOnce = 16;

/** @returns what `plan` says of each member, in their order; it takes little more than two seconds, unless `plan` blocks the process */
export async function planMembers(
  type: ResourceType,
  { organization_id: organization, members }: Pick<PlanBody, 'organization_id' | 'members'>,
  { settings, started, log, signal: stopping }: PlanSurroundings,
): Promise<readonly PlanOutcome[]> {
  const ended = new AbortController();
  const late = new Error(`plan has not ended within ${planLimitMs / 1_000} s`);
  const timer = setTimeout(() => ended.abort(late), planLimitMs);
  const signal = AbortSignal.any([stopping, ended.signal]);
  const tooLate = aborted(signal).then((): PlanOutcome => ({ thrown: late }));
  const reads = members.map((member) => attempted(() => readMember(type, member)));
  const plans: PlanOutcome[] = members.map(() => ({ thrown: late }));
  const calls = callsIn(reads, members);

  async function work(): Promise<void> {
    for (const { at, call } of calls) {
      if (signal.aborted) return;
      const named = { ...call, organization, resource: type.name };
      const owned = { ...named, owner: ownerOf(named), settings, signal, log };
      plans[at] = await Promise.race([tooLate, calledPlan(type, { ...started, ...owned })]);
    }
  }

  try {
    for (const [at, read] of reads.entries()) if (!('config' in read)) plans[at] = read;
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    clearTimeout(timer);
    // Ends the wait for the limit.
    ended.abort(late);
  }
  return plans;
}

type AnyPlanCall = PlanCall<AnyObject, AnyObject>;
type PlannedValues = Pick<AnyPlanCall, 'config' | 'previous' | 'outputs' | 'unknown'>;
type ReadValues = PlannedValues | PlanOutcome;

interface MemberCall {
  /** The place of its member. */
  readonly at: number;
  readonly call: PlannedValues & Pick<AnyPlanCall, 'project' | 'name' | 'beside'>;
}

/** Each is made on demand, because it names all others. */
function* callsIn(
  reads: readonly ReadValues[],
  members: readonly PlanMemberBody[],
): Generator<MemberCall> {
  const known = reads.flatMap((read, at) => {
    const { project_id: project = '', name = '' } = members[at] ?? {};
    return 'config' in read ? [{ at, values: { ...read, project, name } }] : [];
  });
  const others = known.map(({ values: { project, name, config, previous } }) => ({
    ...{ project, name, config, previous },
  }));
  for (const [index, { at, values }] of known.entries()) {
    yield { at, call: { ...values, beside: others.filter((_each, other) => other !== index) } };
  }
}

function attempted(work: () => ReadValues): ReadValues {
  try {
    return work();
  } catch (thrown) {
    return { thrown };
  }
}

/** Rules of the schema that only run in the provider refuse the config before rules of `plan` do. */
function readMember(type: ResourceType, member: PlanMemberBody): ReadValues {
  const { previousConfig: previous, outputs } = priorValues(type, member);
  const { config, schema_version: version, unknown } = member;
  if (version !== type.version) {
    // A migration needs all of the config.
    if (unknown.length > 0) return accepted;
    return { config: newestConfig(type, version, config), previous, outputs, unknown };
  }
  const { value, misfits } = knownConfig(type.config, config, unknown);
  if (misfits.length > 0) return { ...accepted, refusals: misfits.map(refusalBody) };
  return value === undefined ? accepted : { config: value, previous, outputs, unknown };
}

async function calledPlan(type: ResourceType, call: AnyPlanCall): Promise<PlanOutcome> {
  try {
    return rulesIn(type, await type.plan?.(call));
  } catch (thrown) {
    return { thrown };
  }
}

/** @throws TypeError for what `plan` may not return */
function rulesIn(type: ResourceType, returned: unknown): MemberRules {
  const all = (Array.isArray(returned) ? returned : [returned]).filter(
    (each) => each !== undefined,
  );
  const refusals = all.filter(isRefusal).map(refusalBody);
  const replaces = all.filter(isReplacement).map(({ path }) => path);
  const others = all.filter((each) => !isRefusal(each) && !isReplacement(each));
  if (!others.every((each) => typeof each === 'object' && each !== null && !Array.isArray(each))) {
    throw new TypeError(
      'plan must return refuse(path, sentence), replace(path), outputs that are known, a list of these, or nothing',
    );
  }
  if (replaces.length > maxPlanReplacements) {
    throw new RangeError(
      `plan returned ${replaces.length} replacements; return at most ${maxPlanReplacements}, such as the object around them`,
    );
  }
  return {
    refusals,
    replaces: [...new Set(replaces)],
    outputs: others.length === 0 ? undefined : knownOutputs(type, Object.assign({}, ...others)),
  };
}

function refusalBody({ path, message }: RefusalBody): RefusalBody {
  return { path, message: truncate(oneLine(message), maxPlanSentence) };
}

interface OutputsSchema {
  readonly shape?: Readonly<Record<string, ResourceType['outputs']>>;
  readonly def?: { readonly catchall?: { readonly def?: { readonly type?: string } } };
}

/** @throws TypeError for an output that the schema does not have so, RangeError for too many bytes */
function knownOutputs({ outputs: schema }: ResourceType, given: AnyObject): JsonObject {
  const sent = asJson(given);
  for (const [name, value] of Object.entries(sent)) {
    const misfit = outputMisfit(schema as unknown as OutputsSchema, name, value);
    if (misfit === undefined) continue;
    throw new TypeError(`plan returned the output ${name}, which does not fit: ${misfit}`);
  }
  const bytes = jsonBytes(sent);
  if (bytes <= maxPlanOutputsBytes) return sent;
  throw new RangeError(
    `plan returned outputs of ${bytes} bytes, of at most ${maxPlanOutputsBytes}; return fewer`,
  );
}

/** A schema without fields, and one that permits more than its fields, say nothing about an output. */
function outputMisfit({ shape, def }: OutputsSchema, name: string, value: unknown) {
  if (shape === undefined) return undefined;
  if (Object.hasOwn(shape, name)) {
    const parsed = shape[name]?.safeParse(value);
    return parsed?.error && issueText(parsed.error);
  }
  const { type: others = 'never' } = def?.catchall?.def ?? {};
  return others === 'never' ? 'the schema has no such output' : undefined;
}
