// A resource of a test: applies and deletes it as Fairlead does, with the values that Fairlead would send.
import { randomUUID } from 'node:crypto';
import type { EventBody, EventType } from '../../../domain/event.ts';
import { firstTypeVersion } from '../../../domain/type-version.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asJson } from '../../as-json.ts';
import type { ResourceType } from '../../provider.ts';
import { compared } from '../compared.ts';
import type { Ending, Later } from '../step.ts';
import { type Delivering, deliverOnce, deliverToEnd, type KitEvent } from './deliver.ts';
import type {
  Applied,
  Deleted,
  KitApplyOptions,
  KitResource,
  Late,
  ObservedObject,
  Refused,
  ResourceSettings,
  StoredValues,
} from './kit-resource.ts';
import { isChangedBy, same } from './late.ts';
import { type LogLine, recordingLog } from './log.ts';
import type { KitOwners } from './owners.ts';
import { refusedByPlan, refusedImmutables } from './planned.ts';

interface VersionedContent {
  readonly config: JsonObject;
  readonly version: number;
}

/** The values of the last success. */
interface DeliveredSuccess extends VersionedContent {
  readonly outputs: JsonObject;
  readonly outputsVersion: number;
}

export function createResource(
  { organization, name }: { organization: string; name: string },
  common: Omit<Delivering, 'nextSequence' | 'onDelivery' | 'onProgress'> & {
    readonly owners: KitOwners;
  },
  { stored, observe }: ResourceSettings,
): KitResource {
  const { provider, type, owners } = common;
  const newest = type.version ?? firstTypeVersion;
  let success = stored && storedSuccess(stored);
  let desired: VersionedContent | undefined = success;
  let adopted: JsonObject | null = null;
  let state: KitResource['state'] = success === undefined ? 'absent' : 'ready';
  let progress: KitResource['progress'] = null;
  let lines: LogLine[] = [];
  let last: EventBody | undefined;
  let [sequence, generation, calls] = [0, 0, 0];
  /** The successful deliveries with their outputs, the newest last. */
  const succeeded: { readonly event: EventBody; readonly outputs: JsonObject }[] = [];
  let idle: Promise<unknown> = Promise.resolve();

  const delivering: Delivering = {
    ...common,
    log: recordingLog(common.log, (line) => lines.push(line)),
    nextSequence() {
      sequence += 1;
      return sequence;
    },
    onDelivery(event) {
      calls += 1;
      last = event;
    },
    onProgress(reported) {
      progress = reported;
    },
  };

  /** One event after the other, as Fairlead delivers them. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = idle.then(work);
    idle = done.catch(() => undefined);
    return done;
  }

  function eventOf(event_type: EventType, { config, version }: VersionedContent): KitEvent {
    const isObservation = event_type === 'OBSERVE';
    return {
      event_id: `evt-${randomUUID().replaceAll('-', '')}`,
      event_type,
      organization_id: organization,
      project_id: 'default',
      provider: provider.name,
      resource: type.name,
      name,
      config,
      schema_version: version,
      previous_config: isObservation ? null : (success?.config ?? null),
      previous_schema_version: isObservation ? null : (success?.version ?? null),
      outputs: success?.outputs ?? {},
      outputs_schema_version: success?.outputsVersion ?? newest,
      generation,
      ...(isObservation ? { adopt: adopted } : {}),
    };
  }

  async function send(event_type: EventType, wanted: VersionedContent) {
    generation += 1;
    [calls, progress, lines, state] = [0, null, [], 'processing'];
    const ending = await deliverToEnd(eventOf(event_type, wanted), delivering);
    if (ending.kind === 'failed') state = 'failed';
    else if (last !== undefined && event_type !== 'OBSERVE') {
      succeeded.push({ event: last, outputs: ending.outputs });
    }
    return ending;
  }

  function recorded(wanted: VersionedContent, outputs: JsonObject): Applied {
    const taken = owners.take(type, name, outputs);
    if (taken !== undefined) {
      state = 'failed';
      return taken;
    }
    success = { ...wanted, outputs, outputsVersion: newest };
    state = 'ready';
    return { state, outputs };
  }

  async function apply(
    config: object,
    { typeVersion = newest, replace = false }: KitApplyOptions = {},
  ): Promise<Applied> {
    const wanted = { config: asJson(config), version: typeVersion };
    const isUnchanged = desired !== undefined && sameConfig(wanted, desired);
    if (!isUnchanged) return await changed(wanted, replace);
    return state === 'ready' ? { state, outputs: success?.outputs ?? {} } : await applied(wanted);
  }

  async function changed(wanted: VersionedContent, replace: boolean): Promise<Applied> {
    const before = replace ? undefined : success;
    const refused =
      refusedImmutables(type, { wanted, before }) ??
      (await refusedByPlan({ organization, name, wanted, before }, delivering));
    if (refused !== undefined) return refused;
    const removed = replace && success !== undefined ? await remove() : undefined;
    return removed?.state === 'failed' ? removed : await applied(wanted);
  }

  async function applied(wanted: VersionedContent): Promise<Applied> {
    desired = wanted;
    const ending = await send(success === undefined ? 'CREATE' : 'UPDATE', wanted);
    return ending.kind === 'failed' ? refusedEnding(ending) : recorded(wanted, ending.outputs);
  }

  async function adopt(given: object, config: object): Promise<Applied> {
    if (success !== undefined) {
      throw new Error(`adopt: ${name} exists already; adopt with another name, or delete it first`);
    }
    desired = { config: asJson(config), version: newest };
    adopted = asJson(given);
    const taken = owners.refusedImport(type, name, adopted);
    if (taken !== undefined) {
      state = 'failed';
      return taken;
    }
    const ending = await send('OBSERVE', desired);
    if (ending.kind === 'failed') return refusedEnding(ending);
    if (ending.observed?.exists === true) return recorded(desired, ending.outputs);
    state = 'failed';
    return notFound;
  }

  async function look(): Promise<ObservedObject> {
    const known = success ?? desired ?? { config: {}, version: newest };
    [calls, lines] = [1, []];
    const event = { ...eventOf('OBSERVE', known), attempt: 1, context: null, sequence };
    return observedObject(type, await deliverOnce(event, delivering), known.config);
  }

  async function remove(): Promise<Deleted> {
    if (desired === undefined) throw new Error(`delete: ${name} does not exist; apply it first`);
    const ending = await send('DELETE', desired);
    if (ending.kind === 'failed') return refusedEnding(ending);
    owners.free(type, name);
    [success, desired, adopted, state] = [undefined, undefined, null, 'absent'];
    return { state: 'deleted' };
  }

  async function late(): Promise<Late> {
    const [earlier, newer] = succeeded.slice(-2);
    if (earlier === undefined || newer === undefined) {
      throw new Error(`late: ${name} needs two events that succeeded; apply another config first`);
    }
    const before = await observe?.();
    const ending = await deliverOnce(earlier.event, delivering);
    const failed = ending.kind === 'failed' ? refusedEnding(ending) : undefined;
    const answer = ending.kind === 'succeeded' ? ending.outputs : undefined;
    const changed =
      observe === undefined
        ? failed === undefined &&
          isChangedBy(answer, { own: earlier.outputs, newest: newer.outputs })
        : !same(before, await observe());
    return { refused: failed !== undefined, changed, ...(failed && said(failed)) };
  }

  return {
    get state() {
      return state;
    },
    get outputs() {
      return success?.outputs ?? {};
    },
    get progress() {
      return progress;
    },
    get log() {
      return lines;
    },
    get calls() {
      return calls;
    },
    apply: (config, options) => inTurn(() => apply(config, options)),
    adopt: (given, config) => inTurn(() => adopt(given, config)),
    observe: () => inTurn(look),
    delete: () => inTurn(remove),
    late: () => inTurn(late),
    loseAnswer: () => common.faults.loseAnswer(),
    crashAfter: (handler) => common.faults.crashAfter(handler),
  };
}

function storedSuccess({
  typeVersion = firstTypeVersion,
  config,
  outputs,
}: StoredValues): DeliveredSuccess {
  return {
    config: asJson(config),
    version: typeVersion,
    outputs: asJson(outputs),
    outputsVersion: typeVersion,
  };
}

function refusedEnding({ code, message }: { code: string; message: string }): Refused {
  return { state: 'failed', code, message };
}

function said({ code, message }: Refused) {
  return { code, message };
}

function sameConfig(one: VersionedContent, other: VersionedContent): boolean {
  return one.version === other.version && same(one.config, other.config);
}

// The result of an observation of a resource of a test.

/** @throws Error when nothing was observed */
function observedObject(
  type: ResourceType,
  taken: Exclude<Ending, { kind: 'unanswered' }> | Later,
  declared: JsonObject,
): ObservedObject {
  if (taken.kind === 'later') {
    throw new Error(`observe asked to wait: ${taken.progress?.message ?? 'without a message'}`);
  }
  if (taken.kind === 'failed') {
    throw new Error(`observe failed with ${taken.code}: ${taken.message}`, { cause: taken.thrown });
  }
  const { observed } = taken;
  if (observed?.exists !== true) return { exists: false };
  const { config, outputs } = observed;
  const { changes } = compared(type, { declared: observed.declared ?? declared, actual: config });
  return {
    exists: true,
    config,
    outputs,
    changes: changes.map(({ path, declared: wanted, actual }) => ({
      path,
      declared: wanted,
      actual,
    })),
  };
}

const notFound = {
  state: 'failed',
  code: 'NOT_FOUND',
  message: 'No object was found for the import: observe returned gone()',
} as const satisfies Applied;
