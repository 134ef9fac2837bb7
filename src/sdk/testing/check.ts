// Takes a type through the life of one resource, including repeated events, events without a change, aborted events and events
// for deleted resources. Reports the expected and the actual result of every broken rule.

import { asJson } from '../as-json.ts';
import type { AnyObject, HandlerLog } from '../call.ts';
import type { Provider, ResourceType } from '../provider.ts';
import { InvalidSettings } from '../settings.ts';
import { isUsable, type TypeCase, unknownType } from './case.ts';
import { type Findings, findings, shown } from './findings.ts';
import { type Processes, startProcesses } from './kit/process.ts';
import { createLife, type Life } from './life.ts';
import { checkLife } from './life-promises.ts';
import { observed } from './observe.ts';
import { silent } from './silent.ts';

export interface CheckOptions {
  /** Name of the resource; a new one for every run when absent. */
  readonly name?: string;
  /** `testing` */
  readonly organization?: string;
  /** The settings that the provider declares; defaults are filled in. */
  readonly settings?: AnyObject;
  /** Time limit of one event, from its first delivery to its end; the `timeoutSeconds` of its type, or 30 s. */
  readonly timeoutMs?: number;
  /** Time limit for a handler to end after its signal is aborted; 5 s. */
  readonly cancelMs?: number;
  /** The longest pause before a handler that returned `later` is called again; 1 s. */
  readonly maximumDelayMs?: number;
  /** The log of the handlers; none when absent. */
  readonly log?: HandlerLog;
}

/**
 * Checks every type of a provider, one after the other, with `checkType`. It needs neither a cluster nor a network of its own.
 *
 * @param provider the provider, made by `provider`
 * @param cases a configuration for each of its types
 * @param options names, times and the log of the check
 * @returns when every check has passed
 * @throws AggregateError with one Error for each broken rule; its message lists them all
 * @example
 * ```ts
 * it('keeps its promises', async () => {
 *   await testProvider(storage, {
 *     bucket: { config: { region: 'eu-central-1' }, changed: { region: 'eu-west-1' } },
 *   });
 * });
 * ```
 */
export async function testProvider(
  provider: Provider,
  cases: Readonly<Record<string, TypeCase>>,
  options: CheckOptions = {},
): Promise<void> {
  const found = findings(`Provider ${provider.name}`);
  for (const type of Object.keys(cases).filter((name) => !provider.types.has(name))) {
    found.add(`cases: expected types of the provider, saw "${type}", which it does not have`);
  }
  for (const name of provider.types.keys()) {
    const given = cases[name];
    if (given === undefined) found.add(`cases: expected one for type "${name}", saw none`);
    else await runType(provider, name, { given, options, found: found.below(name) });
  }
  found.throwIfAny();
}

/**
 * Checks one type: create twice with one key, update without a change, update to `changed`, a signal that is aborted
 * before and during a call, delete twice, delete of a resource that never existed, and an unknown type. The resource is
 * deleted at the end, also when a rule is broken.
 *
 *     await checkType(postgres, 'database', { config: { name: 'orders' } });
 *
 * @throws AggregateError with one Error for every broken rule; its message lists them all
 */
export async function checkType(
  provider: Provider,
  type: string,
  given: TypeCase,
  options: CheckOptions = {},
): Promise<void> {
  const found = findings(`Type ${type} of provider ${provider.name}`);
  await runType(provider, type, { given, options, found });
  found.throwIfAny();
}

interface CheckRun {
  readonly given: TypeCase;
  readonly options: CheckOptions;
  readonly found: Findings;
}

async function runType(provider: Provider, name: string, { given, options, found }: CheckRun) {
  const type = provider.types.get(name);
  if (type === undefined) return found.add(unknownType(provider, name));
  if (!isUsable(provider, type, { given, found })) return;
  const processes = await startedFor(provider, options, found);
  if (processes === undefined) return;
  try {
    await checkLife(lifeOf(provider, type, { given, options, found, processes }));
  } finally {
    await processes.close();
  }
}

/** @returns the process of the provider, unless its settings do not fit, or it cannot start */
async function startedFor(
  provider: Provider,
  { settings = {}, log = silent }: CheckOptions,
  found: Findings,
): Promise<Processes | undefined> {
  try {
    return await startProcesses(provider, { settings, log });
  } catch (thrown) {
    if (thrown instanceof InvalidSettings) {
      found.add(`settings: expected values that fit the schema, saw that ${shown(thrown)}`);
    } else found.add(`start: expected success, saw ${shown(thrown)}`, thrown);
    return undefined;
  }
}

function lifeOf(
  provider: Provider,
  type: ResourceType,
  { given, options, found, processes }: CheckRun & { readonly processes: Processes },
): Life {
  const { maximumDelayMs = 1_000, log = silent, ...rest } = options;
  const config = asJson(given.config);
  const changed = given.changed && asJson(given.changed);
  const sent = changed === undefined ? [config] : [config, changed];
  const { current: process } = processes;
  return createLife(observed(provider, type, { sent, found }), type, {
    ...rest,
    ...{ config, changed, found, process, maximumDelayMs, log },
  });
}
