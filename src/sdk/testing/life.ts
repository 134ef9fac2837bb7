// A resource of a check, with events as Fairlead sends them, one by one.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { defaultTimeoutSeconds, type EventBody } from '../../domain/event.ts';
import { firstTypeVersion } from '../../domain/type-version.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { HandlerLog } from '../call.ts';
import type { Provider, ResourceType } from '../provider.ts';
import type { Findings } from './findings.ts';
import type { Process } from './kit/process.ts';
import { type Ending, type Handling, step } from './step.ts';

export interface Life {
  readonly type: ResourceType;
  readonly name: string;
  readonly organization: string;
  readonly config: JsonObject;
  readonly changed: JsonObject | undefined;
  readonly found: Findings;
  readonly cancelMs: number;
  /** @param event what differs from a create with `config`; with a `sequence` only if it is late */
  readonly send: (
    event: Partial<EventBody>,
    how?: Partial<Pick<Delivery, 'signal' | 'timeoutMs' | 'once'>>,
  ) => Promise<Ending>;
  /** @returns the `sequence` of the last delivery that was not late */
  readonly sequence: () => number;
}

export interface LifeOptions {
  readonly name?: string | undefined;
  readonly organization?: string | undefined;
  readonly config: JsonObject;
  readonly changed: JsonObject | undefined;
  readonly found: Findings;
  /** The process that receives the events. */
  readonly process: () => Process;
  readonly log: HandlerLog;
  readonly timeoutMs?: number | undefined;
  readonly cancelMs?: number | undefined;
  readonly maximumDelayMs: number;
}

export function createLife(provider: Provider, type: ResourceType, options: LifeOptions): Life {
  const { name = newName(), organization = 'testing', config, changed, found } = options;
  const { timeoutSeconds = defaultTimeoutSeconds, version = firstTypeVersion } = type;
  const { timeoutMs = timeoutSeconds * 1_000, cancelMs = 5_000, maximumDelayMs, log } = options;
  let sequence = 0;
  const nextSequence = () => {
    sequence += 1;
    return sequence;
  };
  const common = {
    organization_id: organization,
    project_id: 'default',
    provider: provider.name,
    resource: type.name,
    name,
    config,
    schema_version: version,
    previous_config: null,
    previous_schema_version: null,
    outputs: {},
    outputs_schema_version: version,
    attempt: 1,
    generation: 1,
    context: null,
  };
  return {
    type,
    name,
    organization,
    config,
    changed,
    found,
    cancelMs,
    sequence: () => sequence,
    async send(event, how = {}) {
      const ending = await deliverEvent(
        provider,
        { ...common, event_type: 'CREATE', event_id: newKey(), ...event },
        { timeoutMs, maximumDelayMs, log, ...options.process(), nextSequence, ...how },
      );
      if (ending.kind === 'succeeded') found.learn(ending.outputs);
      return ending;
    },
  };
}

interface LifeChange {
  readonly outputs: JsonObject;
  /** The first config of the resource when absent. */
  readonly previous?: JsonObject;
  readonly config?: JsonObject;
}

/** @returns an update, without a change unless `config` is another one than `previous` */
export function updateOf(life: Life, { outputs, previous = life.config, config }: LifeChange) {
  const { version = firstTypeVersion } = life.type;
  return {
    event_type: 'UPDATE',
    previous_config: previous,
    previous_schema_version: version,
    config: config ?? previous,
    outputs,
  } as const;
}

export function newKey(): string {
  return `evt-${randomUUID().replaceAll('-', '')}`;
}

export function newName(): string {
  return `test-${randomUUID().slice(0, 8)}`;
}

// Delivers one event to its handler until a final answer. After `later`, the handler is called again, as by Fairlead, but sooner.

interface Delivery extends Omit<Handling, 'signal'> {
  /** Time limit of one event, including `later`. */
  readonly timeoutMs: number;
  /** Longest pause before the next call, regardless of the requested delay. */
  readonly maximumDelayMs: number;
  /** @returns the `sequence` of the next call of a handler, unless the event has one */
  readonly nextSequence: () => number;
  /** Aborts the handler's signal. */
  readonly signal?: AbortSignal;
  /** True: another call that the handler asks for is not made. */
  readonly once?: boolean;
}

/** The ending of an event whose handler returned `later` and is not called again here: Fairlead would do so. */
const postponed: Ending = {
  kind: 'failed',
  terminal: false,
  code: 'later',
  message: 'The handler requested another call',
};

/** An event; with a `sequence` only if it is a late delivery of an earlier one. */
type SentEvent = Omit<EventBody, 'sequence'> & { readonly sequence?: number };

/** Repeats the delivery with the same key while the handler returns `later`. */
async function deliverEvent(
  provider: Provider,
  event: SentEvent,
  { timeoutMs, maximumDelayMs, nextSequence, signal, once = false, ...handling }: Delivery,
): Promise<Ending> {
  const deadline = new AbortController();
  const late = Promise.withResolvers<Ending>();
  const timer = setTimeout(() => {
    late.resolve({ kind: 'unanswered', afterMs: timeoutMs });
    deadline.abort(new Error('The client closed the connection'));
  }, timeoutMs);
  const whole = AbortSignal.any(
    signal === undefined ? [deadline.signal] : [deadline.signal, signal],
  );

  async function ask(context: JsonObject | null): Promise<Ending> {
    const asked = { ...event, context, sequence: event.sequence ?? nextSequence() };
    const taken = await step(provider, asked, { ...handling, signal: whole });
    if (taken.kind !== 'later') return taken;
    if (once) return postponed;
    const delay = Math.min(taken.delayMs, maximumDelayMs);
    await pause(delay, undefined, { signal: whole }).catch(() => undefined);
    return whole.aborted ? postponed : await ask(taken.context);
  }

  try {
    return await Promise.race([ask(event.context), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
