// A resource of a check, with events as Fairlead sends them, one by one.
import { randomUUID } from 'node:crypto';
import { defaultTimeoutSeconds, type EventBody } from '../../domain/event.ts';
import { firstTypeVersion } from '../../domain/type-version.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { HandlerLog } from '../call.ts';
import type { Provider, ResourceType } from '../provider.ts';
import { type Delivery, deliver } from './deliver.ts';
import type { Findings } from './findings.ts';
import type { Process } from './kit/process.ts';
import type { Ending } from './step.ts';

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
    send: (event, how = {}) =>
      deliver(
        provider,
        { ...common, event_type: 'CREATE', event_id: newKey(), ...event },
        { timeoutMs, maximumDelayMs, log, ...options.process(), nextSequence, ...how },
      ),
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
