// The next steps for a ready resource whose object has drifted, is gone or could not be observed. Pure.
import { Reason } from '../../crds/conditions.ts';
import { correctsDrift, isPaused, isReadOnly } from '../../store/resources/options.ts';
import { driftOf, type KnownDrift, unobservedOf } from '../drift.ts';
import type { NextStep } from '../facts.ts';
import type { Situation, Steps } from './situation.ts';

/** None when nothing is wrong with its object. */
export const aboutObject: Steps = (situation) => {
  const known = driftOf(situation.resource);
  const steps = known === undefined ? [] : afterDrift(known, situation);
  if (unobservedOf(situation.resource) === undefined) return steps;
  const isAdvised = steps.some((each) => each.do === 'observe');
  return [
    ...steps,
    ...observeAgain(situation).filter((each) => !isAdvised || each.do !== 'observe'),
  ];
};

function afterDrift(known: KnownDrift, situation: Situation): readonly NextStep[] {
  const { spec } = situation.resource;
  const { name, facts } = situation;
  const ignore = driftStep(
    'edit',
    name,
    'Leave the values to whoever else manages them: observe.ignore',
  );
  const remove = facts.users.length > 0 ? [] : [driftStep('delete', name, 'Delete the resource')];
  const look = driftStep('observe', name, 'Have the object looked for again');
  const instead = known.drift.kind === 'Gone' ? [look, ...remove] : [ignore];
  // Whatever is applied or corrected waits as well.
  if (isPaused(spec)) return asAlternatives([...resume(situation), ...instead]);
  if (isReadOnly(spec)) return asAlternatives([...declare(known, name), ...instead]);
  if (known.reason === Reason.CorrectionLoop) {
    const again = 'Have it corrected once more, when it is known who else changes it';
    return asAlternatives([...instead, ...declare(known, name), driftStep('correct', name, again)]);
  }
  const why =
    known.drift.kind === 'Gone'
      ? 'Have the object created again'
      : 'Have the object made what the config declares';
  const now = [driftStep('correct', name, why), ...declare(known, name), ...instead];
  return asAlternatives([...byItself(situation), ...now]);
}

export const resume: Steps = ({ name }) => [driftStep('resume', name, 'It is paused')];

function driftStep(action: NextStep['do'], resource: string, why: string): NextStep {
  return { do: action, resource, why };
}

/** @returns the steps, of which each is enough, as alternatives in words */
function asAlternatives(steps: readonly NextStep[]): readonly NextStep[] {
  return steps.map((each, at) =>
    at === 0
      ? each
      : { ...each, why: `Or ${each.why.charAt(0).toLowerCase()}${each.why.slice(1)}` },
  );
}

/** The step of Fairlead without a request, or what keeps it from that. */
function byItself({ resource, facts }: Situation): readonly NextStep[] {
  const { spec } = resource;
  const { provider } = spec;
  // Callers who are confined see no providers, so it is not known whether corrections are held.
  if (!correctsDrift(spec) || facts.provider === undefined) return [];
  if (facts.provider.correctionsHeld === null) {
    const end = new Date(facts.delivery.windowEnd).toISOString().replace(/:\d\d\.\d+Z$/, 'Z');
    const why = `Fairlead corrects it by itself after a whole window of observations, at ${end} at the latest`;
    return [{ do: 'wait', why }];
  }
  const why = `Check whether provider ${provider} looks in the right place, and release the corrections if the objects really differ`;
  return [{ do: 'release_corrections', provider, why }];
}

/** Values that are not recorded cannot be declared from the record. */
function declare({ isPartial, drift }: KnownDrift, name: string): readonly NextStep[] {
  if (isPartial || drift.kind === 'Gone') return [];
  return [driftStep('apply_actual', name, 'Declare what is there')];
}

function observeAgain({ resource, name, facts }: Situation): readonly NextStep[] {
  const { provider } = resource.spec;
  const again = { do: 'observe', resource: name, why: 'Observe the object again' } as const;
  const isLogged =
    facts.provider !== undefined && !facts.provider.external && facts.provider.state !== 'missing';
  if (!isLogged) return [again];
  const why = 'The log of the provider may show why it cannot observe the object';
  return [again, { do: 'read_logs', provider, why }];
}
