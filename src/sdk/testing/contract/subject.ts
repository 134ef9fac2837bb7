// The values that the promises of a contract share: the type, its case, and new resources of it.

import { asJson } from '../../as-json.ts';
import type { HandlerLog } from '../../call.ts';
import type { Provider, ResourceType } from '../../provider.ts';
import type { Registration } from '../../registrations.ts';
import type { TypeCase } from '../case.ts';
import type { Findings } from '../findings.ts';
import { type Clock, virtualPauseMs } from '../kit/clock.ts';
import type { Processes } from '../kit/process.ts';
import { createLife, type Life, type LifeOptions } from '../life.ts';
import { observed } from '../observe.ts';
import { registrationOf } from './schemas.ts';

export interface ObservedResource {
  readonly organization: string;
  readonly name: string;
}

export interface ContractCase<Config = object> extends TypeCase<Config> {
  /** The configuration of a second resource beside the first one; `config` when absent. */
  readonly other?: Config;
  /**
   * Reads what exists in the backing service for a resource; results are compared as JSON. With it, mistakes are found that outputs
   * do not show, such as a duplicate.
   */
  readonly observe?: (resource: ObservedResource) => unknown;
  /** Settings with which the backing service cannot be reached, such as the address of a closed port. */
  readonly unreachable?: Readonly<Record<string, unknown>>;
  /** False: a late delivery does no harm, such as for a type that makes nothing, and need not be refused. Default true. */
  readonly fenced?: boolean;
  /** Names of outputs that differ after a change and back, such as a revision. */
  readonly volatile?: readonly string[];
  /** Time limit for a handler to end after its signal is aborted; 5 s. */
  readonly cancelMs?: number;
  /** Configs of earlier versions of the type, by the number of the version: the migrations must accept them. */
  readonly earlier?: Readonly<Record<number, object | readonly object[]>>;
}

export interface ContractKit {
  readonly provider: Provider;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly log: HandlerLog;
  readonly organization: string;
}

export interface ContractSubject {
  readonly kit: ContractKit;
  readonly type: ResourceType;
  /** The registration that a build records of the type; undefined when its schemas cannot be converted, which is a finding already. */
  readonly registration: Registration | undefined;
  readonly given: ContractCase;
  readonly found: Findings;
  /** @returns a new resource; with a name of its own, in the organization of the kit */
  resource(differing?: Partial<LifeOptions>): Life;
  /** @returns a new resource whose handlers must see `config` and `changed` as sent */
  watchedResource(): Life;
  /** @returns what exists for a resource; undefined without `observe` */
  observe(resource: ObservedResource): Promise<unknown>;
}

/** Pauses on the real clock, as those of `checkType`. */
const realPauseMs = 1_000;

export function createSubject(
  kit: ContractKit,
  type: ResourceType,
  { given, found }: { readonly given: ContractCase; readonly found: Findings },
): ContractSubject {
  const { provider } = kit;
  const { config, changed, cancelMs } = given;
  const sent = changed === undefined ? [config] : [config, changed];
  const common: LifeOptions = {
    organization: kit.organization,
    config: asJson(config),
    changed: changed && asJson(changed),
    found,
    process: kit.processes.current,
    log: kit.log,
    cancelMs,
    maximumDelayMs: kit.clock === 'virtual' ? virtualPauseMs : realPauseMs,
  };
  return {
    kit,
    type,
    registration: registrationOf(provider, type.name),
    given,
    found,
    resource: (differing) => createLife(provider, type, { ...common, ...differing }),
    watchedResource: () => createLife(observed(provider, type, { sent, found }), type, common),
    observe: async ({ organization, name }) => await given.observe?.({ organization, name }),
  };
}
