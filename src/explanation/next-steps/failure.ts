// The next steps after a failure for good, by its kind, and what shows it. A step that is known to give nothing is left out: the log
// of a provider that runs elsewhere or that wrote none, a retry of what was refused as the first step. Pure.

import type { FailureKind } from '../../domain/explanation.ts';
import { iso } from '../../store/resources/state.ts';
import { maxCounted, type NextStep, type ProviderFacts } from '../facts.ts';
import type { KnownFailure } from '../failure.ts';
import { bringBackType, bringUp, leaveObject } from './provider.ts';
import type { Situation, Steps } from './situation.ts';

export function stepsForFailure(failure: KnownFailure, situation: Situation): readonly NextStep[] {
  const { repair, isRetriedFirst } = ways[failure.kind];
  // The new config is what does not fit, also before the old object is deleted.
  const isOfOld = failure.isOfOld && failure.kind === 'refused';
  const ofDeletion = failure.isDeletion || isOfOld;
  const repaired = failure.isNotFound ? correctAdopt : repair;
  const steps = ofDeletion ? repairOfDeletion(failure, situation) : repaired(situation);
  const again = retrySteps(failure, situation);
  const shown = showing(failure, situation);
  const isServed = situation.facts.delivery.isServed;
  // A retry waits for the provider.
  const up = isServed || unsent.has(failure.kind) ? [] : bringUp(situation);
  const ordered = isRetriedFirst ? [...again, ...shown] : [...shown, ...again];
  return [...steps, ...up, ...ordered, ...withoutProvider(failure, situation)];
}

interface RepairPath {
  /** Steps that make another attempt succeed. */
  readonly repair: Steps;
  readonly isRetriedFirst?: true;
}

const nothing: Steps = () => [];

/** Kinds of failures that are none of the provider. */
const unsent: ReadonlySet<FailureKind> = new Set<FailureKind>(['misfit', 'taken']);

const ways: Readonly<Record<FailureKind, RepairPath>> = {
  refused: { repair: editForTheRule },
  misfit: { repair: correctConfig },
  taken: { repair: correctTakenAdopt },
  crashed: { repair: nothing },
  suspected: { repair: explainCulprit },
  lost: { repair: explainCulprit },
  unanswered: { repair: nothing },
  skewed: { repair: correctClock },
  unusable: { repair: correctCode },
  rejected: { repair: correctAddress },
  unknownType: { repair: bringBackType },
  unfinished: { repair: nothing },
  unserved: { repair: nothing },
  thrown: { repair: nothing, isRetriedFirst: true },
};

/** The author of the provider wrote the rule, so the provider is named. */
function editForTheRule({ resource: { spec }, name, facts }: Situation): readonly NextStep[] {
  const why = `${coded(spec.provider, facts.provider)} refuses this config: change it, or ask the author of the provider`;
  return [{ do: 'edit', resource: name, why }];
}

function correctAdopt({ name }: Situation): readonly NextStep[] {
  const why = 'Nothing has what adopt says: correct it, or clear it to have a new object created';
  return [{ do: 'edit', resource: name, why }];
}

function correctTakenAdopt({ name }: Situation): readonly NextStep[] {
  const why = 'Another resource stands for the object: correct adopt, or delete one of the two';
  return [{ do: 'edit', resource: name, why }];
}

function coded(name: string, provider: ProviderFacts | undefined): string {
  const version = provider?.version ?? null;
  return `A rule in the code of ${name}${version === null ? '' : ` ${version}`}`;
}

function correctConfig({ name }: Situation): readonly NextStep[] {
  return [{ do: 'edit', resource: name, why: 'Correct the config' }];
}

function explainCulprit({ facts: { culprit } }: Situation): readonly NextStep[] {
  if (culprit === undefined) return [];
  return [{ do: 'explain', resource: culprit, why: `The event of ${culprit} ended the process` }];
}

function correctCode({ resource: { spec }, facts }: Situation): readonly NextStep[] {
  const { provider } = spec;
  if (facts.provider?.external !== false) {
    return [
      {
        do: 'ask_administrator',
        provider,
        why: `The author of provider ${provider} must correct its answer`,
      },
    ];
  }
  return [{ do: 'push', provider, why: 'Correct the answer in the code of the provider' }];
}

function correctAddress({ resource: { spec } }: Situation): readonly NextStep[] {
  const { provider } = spec;
  const why = `The operator of provider ${provider} must correct its address, its organizations or its release`;
  return [{ do: 'ask_administrator', provider, why }];
}

/** It is not known whether the clock is right again, when the provider is not visible. */
export function correctClock({ resource: { spec }, facts }: Situation): readonly NextStep[] {
  const { provider } = spec;
  if (facts.provider !== undefined && facts.provider.skewedSince === null) return [];
  const where = facts.provider?.external === false ? 'the node' : 'the machine';
  const why = `An administrator corrects the clock of ${where} that runs provider ${provider}, or of the node that runs Fairlead`;
  return [{ do: 'ask_administrator', provider, why }];
}

/** A config in deletion cannot be changed any more. */
function repairOfDeletion({ kind }: KnownFailure, situation: Situation): readonly NextStep[] {
  const { provider } = situation.resource.spec;
  if (kind === 'refused' || kind === 'misfit') {
    const rule = coded(provider, situation.facts.provider);
    const why = `${rule} refuses the deletion: remove what the message names, or ask the author of the provider`;
    return [{ do: 'ask_administrator', provider, why }];
  }
  return ways[kind].repair(situation);
}

function withoutProvider(
  { kind, isDeletion }: KnownFailure,
  situation: Situation,
): readonly NextStep[] {
  if (kind === 'unknownType') return [leaveObject(situation)];
  return isDeletion ? [forceDeletion(situation)] : [];
}

function forceDeletion({ name }: Situation): NextStep {
  const why = 'Deletes it without its provider; what it created may remain';
  return { do: 'force_delete', resource: name, why };
}

/** Kinds of failures of which the log of the provider has nothing: the handler refused, or was not called. */
const unlogged: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'refused',
  'misfit',
  'taken',
  'rejected',
  'unknownType',
  'unserved',
  'skewed',
]);

/** The process in which the event was is gone. */
const ended: ReadonlySet<FailureKind> = new Set<FailureKind>(['crashed', 'suspected', 'lost']);

/** @returns the steps that show more of a failure than its message */
export function showing(failure: KnownFailure, situation: Situation): readonly NextStep[] {
  const { kind } = failure;
  const { provider, culprit } = situation.facts;
  if (unlogged.has(kind) || culprit !== undefined) return [];
  const isLogged = provider !== undefined && !provider.external && provider.state !== 'missing';
  const log = isLogged ? [logOf(failure, situation)] : [];
  return ended.has(kind) ? [...evidence(situation), ...log] : log;
}

function logOf({ kind, isAnswered }: KnownFailure, { resource, name }: Situation): NextStep {
  const { provider } = resource.spec;
  if (ended.has(kind) && !isAnswered) {
    const why = 'The log of the process that ended shows the failure';
    return { do: 'read_logs', provider, previous: true, why };
  }
  // From the claim on: the failure may be older than any fixed time.
  const since = iso(resource.status?.event?.startedAt);
  if (kind === 'unanswered') {
    const why = 'The log of the provider shows what it was doing';
    return { do: 'read_logs', provider, since, why };
  }
  // The last lines of a process belong to no resource.
  if (ended.has(kind)) {
    const why = 'The log of the provider shows how the process ended';
    return { do: 'read_logs', provider, since, why };
  }
  const why = 'The log of the provider shows the failure';
  return { do: 'read_logs', provider, resource: name, since, why };
}

function evidence({ facts: { deadLetter } }: Situation): readonly NextStep[] {
  if (deadLetter === undefined) return [];
  const { eventId, cause } = deadLetter;
  const why = 'The failed event, with what is known of the failure';
  return [{ do: 'read_dead_letter', eventId, cause, why }];
}

function retrySteps(
  { kind, isDeletion, isOfOld, isNotFound }: KnownFailure,
  situation: Situation,
): readonly NextStep[] {
  const { resource, name, facts } = situation;
  const { deadLetter } = facts;
  // An apply of another config sends another event; the same one is refused again.
  const isOfConfig = kind === 'misfit' || (kind === 'refused' && !isOfOld && !isNotFound);
  if (isOfConfig && !isDeletion) return [];
  const after = isNotFound ? 'Retry once the object exists' : retryText(kind);
  if (deadLetter === undefined) {
    const again = isDeletion ? 'Delete it again' : 'Apply it again';
    const why = `${again} after the cause is repaired`;
    return [{ do: isDeletion ? 'delete' : 'apply', resource: name, why }];
  }
  const { cause, sameCause } = deadLetter;
  const { provider } = resource.spec;
  return [{ do: 'retry_dead_letters', provider, cause, why: `${after}${othersText(sameCause)}` }];
}

function retryText(kind: FailureKind): string {
  if (kind === 'refused') return 'Retry once the rule permits it';
  return kind === 'taken'
    ? 'Retry once the other resource is gone'
    : 'Retry after the cause is repaired';
}

function othersText(sameCause: number | null): string {
  if (sameCause === null || sameCause === 0) return '';
  const count = sameCause === maxCounted ? `at least ${maxCounted}` : sameCause;
  return `; ${count} more have this cause`;
}
