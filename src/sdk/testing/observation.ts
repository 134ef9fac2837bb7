// The promises about `observe`: it returns what exists in the form of the config, `gone()` when nothing exists and only then, and it
// reads from the backing service, not from its argument.
import type { EventBody, ListBody, ListedBody, ObservedBody } from '../../domain/event.ts';
import type { FoundChange } from '../../domain/observation/compare.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { HandlerLog } from '../call.ts';
import { listPage } from '../observation/list.ts';
import type { Provider, ResourceType } from '../provider.ts';
import { compared } from './compared.ts';
import { shown } from './findings.ts';
import { same } from './kit/late.ts';
import type { Processes } from './kit/process.ts';
import { type Life, newKey } from './life.ts';

/** The values that were recorded with the last success. */
export interface Recorded {
  readonly config: JsonObject;
  readonly outputs: JsonObject;
}

export type Existing = Extract<ObservedBody, { exists: true }>;

export function observationOf({ config, outputs }: Recorded): Partial<EventBody> {
  return { event_type: 'OBSERVE', config, outputs, adopt: null };
}

/**
 * Expects that a resource exists as declared, in two observations that are the same.
 * @returns what exists; undefined when the type has no handler `observe`, or nothing was observed
 */
export async function expectDeclared(
  life: Life,
  step: string,
  recorded: Recorded,
): Promise<Existing | undefined> {
  if (life.type.observe === undefined) return undefined;
  const first = await observeRecorded(life, step, recorded);
  if (first === undefined) return undefined;
  const { changes } = compared(life.type, { declared: recorded.config, actual: first.config });
  for (const change of changes) life.found.add(`${step}: ${differenceText(change)}`);
  const second = await observeRecorded(life, `${step}, again`, recorded);
  if (second !== undefined && !same(first, second)) {
    life.found.add(
      `${step}, again: expected the same ${shown(first)}, saw ${shown(second)}. Leave out what changes by itself`,
    );
  }
  return first;
}

/** @returns what exists; anything else is a finding */
async function observeRecorded(life: Life, step: string, recorded: Recorded) {
  const ending = await life.send(observationOf(recorded), { once: true });
  if (life.found.outputs(step, ending) === undefined || ending.kind !== 'succeeded')
    return undefined;
  if (ending.observed?.exists === true) return ending.observed;
  life.found.add(
    `${step}: expected what exists, saw gone(). Find it by \`organization\` and \`name\`, or by what \`outputs\` have`,
  );
  return undefined;
}

function differenceText({ path, declared, actual, isSecret }: FoundChange): string {
  const field = path.split('/').slice(1).join('.');
  const values = isSecret
    ? 'as declared, saw another value'
    : `${shown(declared)} as declared, saw ${shown(actual)}`;
  return `expected config.${field} to be ${values}. Return it in the form of the config, such as its units and its order, or leave it out`;
}

/** After a change: an observation whose event has the config of before shows what exists now. */
export async function expectRead(life: Life, now: Existing, before: Recorded): Promise<void> {
  const ending = await life.send(observationOf(before), { once: true });
  // The handler may have needed the newest config to find it.
  if (ending.kind !== 'succeeded' || ending.observed?.exists !== true) return;
  const { changes } = compared(life.type, { declared: now.config, actual: ending.observed.config });
  const sent = compared(life.type, { declared: before.config, actual: ending.observed.config });
  const copied = changes.filter(({ path }) => sent.changes.every((each) => each.path !== path));
  for (const { path } of copied) {
    const field = path.split('/').slice(1).join('.');
    life.found.add(
      `observe after an update: expected config.${field} as it is, saw that of the event. Read it from the backing service, or leave it out`,
    );
  }
}

/** A handler that could not read has not seen that nothing exists. */
export async function expectNotGone(life: Life, recorded: Recorded): Promise<void> {
  if (life.type.observe === undefined) return;
  const signal = AbortSignal.abort(new Error('The client closed the connection'));
  const how = { signal, timeoutMs: life.cancelMs, once: true };
  const ending = await life.send(observationOf(recorded), how);
  const step = 'observe with an already aborted signal';
  life.found.cancelled(step, ending);
  if (ending.kind !== 'succeeded' || ending.observed?.exists !== false) return;
  life.found.add(
    `${step}: expected an error, or what exists, saw gone(). Throw what the backing service throws`,
  );
}

/** @param event what differs from an observation of the resource */
export async function expectGone(
  life: Life,
  step: string,
  event: Partial<EventBody> & Recorded,
): Promise<void> {
  if (life.type.observe === undefined) return;
  const ending = await life.send({ ...event, ...observationOf(event) }, { once: true });
  if (life.found.outputs(step, ending) === undefined || ending.kind !== 'succeeded') return;
  if (ending.observed?.exists === false) return;
  life.found.add(
    `${step}: expected gone(), saw ${shown(ending.observed)}. Return gone() when nothing exists`,
  );
}

interface ListingKit {
  readonly provider: Provider;
  readonly processes: Processes;
  readonly organization: string;
  readonly log: HandlerLog;
}

/**
 * @param cursor null for the first page
 * @throws TerminalFailure when the type has no handler `list`, and when it returned no page
 */
export async function listedPage(
  { provider, processes, organization, log }: ListingKit,
  type: ResourceType,
  cursor: string | null,
): Promise<ListedBody> {
  const asked: ListBody = {
    event_id: newKey(),
    event_type: 'LIST',
    organization_id: organization,
    provider: provider.name,
    resource: type.name,
    cursor,
  };
  const signal = AbortSignal.timeout(30_000);
  return await listPage(type, asked, { ...processes.current(), log, signal });
}
