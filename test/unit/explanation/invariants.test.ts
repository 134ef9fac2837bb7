// What holds for every explanation, whatever the state of resources, providers, builds, types and events.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isPermitted } from '../../../src/api/permissions.ts';
import { commandFor } from '../../../src/client/words/next-step.ts';
import { Reason } from '../../../src/crds/conditions.ts';
import type { NextAction } from '../../../src/domain/explanation.ts';
import { driftOf, unobservedOf } from '../../../src/explanation/drift.ts';
import { explain } from '../../../src/explanation/explain.ts';
import type { Explanation, NextStep } from '../../../src/explanation/facts.ts';
import { knownFailure } from '../../../src/explanation/failure.ts';
import { operationOf } from '../../../src/explanation/next-steps/rights.ts';
import { presentExplanation } from '../../../src/http/response/explanation.ts';
import { resourceState } from '../../../src/store/resources/state.ts';
import { commandProblem } from '../../support/clients/client-commands.ts';
import { type World, worlds } from '../../support/fixtures/explanation/explained-worlds.ts';
import { explainedAt, rightsOf } from '../../support/fixtures/explanation/explanations.ts';

/** @returns what is wrong; empty when it holds */
type Invariant = (explanation: Explanation, world: World) => readonly string[];

const well: readonly string[] = ['available', 'ready', 'progressing', 'success'];

const causesAreWrong: Invariant = ({ chain, state }) =>
  state === 'ready' || state === 'draft'
    ? []
    : chain
        .filter((link) => well.includes(link.state) || isSaidToBeWell(link))
        .map(({ ref, state }) => `${ref} is ${state}`);

function isSaidToBeWell({ kind, reason }: Explanation['chain'][number]): boolean {
  return kind === 'provider' && (reason === 'Available' || reason === 'ExternalEndpoint');
}

const messagesAreSaidOnce: Invariant = ({ chain }) => {
  const messages = chain.flatMap(({ message }) => message ?? []);
  return messages.filter((message, at) => messages.indexOf(message) !== at);
};

const textsAreWhole: Invariant = ({ summary, chain, next }) =>
  [summary, ...chain.map(({ message }) => message ?? ''), ...next.map(({ why }) => why)].filter(
    (text) => /undefined|NaN|null/.test(text),
  );

const stepsArePermitted: Invariant = ({ next }, { caller }) =>
  next.flatMap((step) => {
    const operation = operationOf[step.do];
    return operation === undefined || isPermitted(caller, operation) ? [] : step.do;
  });

const commandsExist: Invariant = (explanation) =>
  presentExplanation(explanation).next.flatMap((step) => {
    const command = commandFor(step);
    return command === undefined ? [] : commandProblem(command) || [];
  });

const somethingIsAdvised: Invariant = ({ next }, world) => {
  const last = lastOf(world);
  const isWell =
    resourceState(last) === 'ready' &&
    driftOf(last) === undefined &&
    unobservedOf(last) === undefined;
  return next.length > 0 === isWell ? [`${next.length} steps`] : [];
};

const stepsCanHelp: Invariant = ({ next }, world) =>
  next.flatMap((step, at) => uselessIf[step.do]?.(step, world, at) ?? []);

/** The last lines are those of the dead letter that is shown. */
const logsAreOfTheLetter: Invariant = ({ log, deadLetter }, { facts }) => {
  const last = facts.deadLetter?.log.at(-1);
  const isEnd = log.length <= 10 && log.at(-1) === last;
  return isEnd && (log.length === 0 || deadLetter !== undefined) ? [] : [`${log.length} lines`];
};

/** Whatever else is wrong, a drifted object is named, and its values are not. */
const driftIsSaid: Invariant = ({ summary, state }, world) => {
  const known = driftOf(world.facts.path[0].resource);
  if (known === undefined) return /drift|gone/.test(summary) ? ['nothing has drifted'] : [];
  const isSaid = state === 'ready' && /has drifted|is gone/.test(summary);
  return isSaid ? [] : [summary];
};

/** A clock that differs is the cause, and is corrected by somebody, as long as it may differ. */
const clocksAreNamed: Invariant = ({ chain: [cause], next }, world) => {
  const isCorrected = next.some(({ why }) => why.includes('clock'));
  if (kindOf(world) !== 'skewed') return isCorrected ? ['no clock differs'] : [];
  const { provider, confined } = world.facts;
  const isRight = !confined && provider?.skewedSince === null;
  if (isRight && isCorrected) return ['the clock is right'];
  if (cause?.reason !== Reason.ClockSkew) return [];
  const hasTimes = cause.kind === 'provider' && cause.message?.includes('90 s ahead');
  return hasTimes && isCorrected !== isRight ? [] : ['nobody corrects the clock'];
};

/** A refusal is no failure of the provider. */
const refusalsAreNamed: Invariant = ({ chain }, world) => {
  const isRefused = ['refused', 'misfit'].includes(kindOf(world) ?? '');
  return chain
    .filter(({ state }) => state === 'refused')
    .map(({ ref }) => ref)
    .filter(() => !isRefused);
};

function lastOf({ facts: { path } }: World) {
  return (path.at(-1) ?? path[0]).resource;
}

function kindOf(world: World) {
  return knownFailure(lastOf(world), world.facts.maxAttempts)?.kind;
}

/** Why a step is known to give nothing; undefined when it may help. */
const uselessIf: {
  readonly [action in NextAction]?: (
    step: NextStep,
    world: World,
    at: number,
  ) => string | undefined;
} = {
  read_logs({ resource }, world) {
    const { provider } = world.facts;
    if (provider?.external === true || provider?.state === 'missing') return 'there is no log';
    const isRefused = kindOf(world) === 'refused' && resource !== undefined;
    return isRefused ? 'a refusal logs nothing' : undefined;
  },
  retry_dead_letters(_step, world, at) {
    if (world.facts.deadLetter === undefined) return 'there is no dead letter';
    return at === 0 && kindOf(world) === 'refused' ? 'it is refused again' : undefined;
  },
  read_dead_letter: (_step, { facts }) =>
    facts.deadLetter === undefined ? 'there is no dead letter' : undefined,
  deploy: (_step, { facts: { delivery, provider } }) =>
    delivery.isServed || provider?.state === 'available' ? 'a version is available' : undefined,
  rollback: (_step, { facts }) =>
    facts.provider?.previousVersion === null ? 'there is no version before' : undefined,
  set_settings: ({ settings = [] }) => (settings.length === 0 ? 'no setting is named' : undefined),
  delete_users: (_step, { facts }) => (facts.users.length === 0 ? 'nothing uses it' : undefined),
  edit(_step, world) {
    const last = lastOf(world);
    const isFree = ['failed', 'ready'].includes(resourceState(last));
    const isOnlyObserved = last.status?.reason === Reason.NotFound;
    return isFree || isOnlyObserved ? undefined : 'it cannot be changed now';
  },
  correct(_step, world) {
    const last = lastOf(world);
    if (last.spec.management === 'Observed') return 'it is only observed';
    return driftOf(last) === undefined ? 'there is nothing to correct' : undefined;
  },
  apply_actual(_step, world) {
    const known = driftOf(lastOf(world));
    const isKnown = known?.isPartial === false && known.drift.kind === 'Changed';
    return isKnown ? undefined : 'what is there is not known';
  },
  release_corrections: (_step, { facts }) =>
    facts.provider?.correctionsHeld == null ? 'none are held' : undefined,
  apply({ resource }, world) {
    const { spec } = lastOf(world);
    const state = resourceState(lastOf(world));
    const isOwn = resource?.endsWith(`/${spec.name}`) === true;
    return !isOwn || state === 'failed' || state === 'draft' ? undefined : 'it changes nothing';
  },
};

const invariants = {
  causesAreWrong,
  messagesAreSaidOnce,
  textsAreWhole,
  stepsArePermitted,
  commandsExist,
  somethingIsAdvised,
  stepsCanHelp,
  logsAreOfTheLetter,
  driftIsSaid,
  clocksAreNamed,
  refusalsAreNamed,
};

it('holds in any state', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const { facts, caller } = world;
      const explanation = explain(facts, { now: explainedAt, rights: rightsOf(caller) });
      const problems = Object.entries(invariants).flatMap(([name, invariant]) =>
        invariant(explanation, world).map((problem) => `${name}: ${problem}`),
      );
      // An assertion of each invariant, with its message, costs more than all of them.
      if (problems.length > 0) expect(problems, JSON.stringify(explanation)).toEqual([]);
    }),
    { numRuns: 10_000 },
  );
}, 120_000);
