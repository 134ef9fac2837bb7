// What follows for a resource that is observed. The list of rules is the documentation; this is its proof.
import { expect, it } from 'vitest';
import {
  wholeWindowEndAfter,
  windowEndAfter,
} from '../../../../src/domain/observation/schedule.ts';
import { decide, type Situation } from '../../../../src/reconcilers/observation/decide.ts';
import { now } from '../../../support/fixtures/builders.ts';
import {
  aDrifted,
  aSubject,
  at,
  changed,
  hour,
} from '../../../support/fixtures/observation/observed-subjects.ts';

const time = now.getTime();
const drifted = aDrifted();
/** When the correction of what drifted now may begin. */
const due = windowEndAfter({ provider: drifted.provider, everyMs: hour }, time);

function situation(changes: Partial<Situation> = {}): Situation {
  return {
    subject: aSubject(),
    now: time,
    beganAt: time - 2 * hour,
    next: Infinity,
    request: undefined,
    isSuspended: false,
    pending: 0,
    failures: 0,
    isConfirmed: true,
    gate: () => expect.unreachable('it looked at all resources of the provider'),
    ...changes,
  };
}

const free = () => 'open' as const;
const held = () => 'held' as const;
const unknown = () => 'unknown' as const;
const until = (ms: number) => ({ do: 'wait', until: new Date(ms) });

interface Case {
  readonly reason: string;
  readonly situation: Situation;
  readonly want: object;
}

const cases: Record<string, Case> = {
  'waits for the next moment': {
    reason: 'Nothing is due.',
    situation: situation({ next: time + 5 }),
    want: until(time + 5),
  },
  'does nothing without a schedule': {
    reason: 'It is observed only on request.',
    situation: situation(),
    want: { do: 'nothing' },
  },
  'observes at the moment': {
    reason: 'It is due.',
    situation: situation({ next: time }),
    want: { do: 'observe' },
  },
  'observes once after an outage': {
    reason: 'Nothing is caught up with.',
    situation: situation({ next: time - 50 * hour }),
    want: { do: 'observe' },
  },
  'observes on request': {
    reason: 'Also with the interval never.',
    situation: situation({ request: 'r-1' }),
    want: { do: 'observe', request: 'r-1' },
  },
  'answers the request with the observation that is due': {
    reason: 'One question is enough.',
    situation: situation({ request: 'r-1', next: time - 1 }),
    want: { do: 'observe', request: 'r-1' },
  },
  'does nothing in a suspended organization': {
    reason: 'Nothing of it is sent; its resumption wakes its resources.',
    situation: situation({
      ...{ isSuspended: true, request: 'r-1', next: time - 1 },
      subject: aDrifted({ status: { drift: { ...changed, since: at(-5 * hour) } } }),
    }),
    want: { do: 'nothing' },
  },
  'waits for the window before a correction': {
    reason: 'The others of the provider are not observed yet.',
    situation: situation({ subject: drifted, next: due + hour }),
    want: until(due),
  },
  'waits for an observation that comes before the correction': {
    reason: 'It may find the object as declared.',
    situation: situation({ subject: drifted, next: due - 1 }),
    want: until(due - 1),
  },
  'corrects after the window': {
    reason: 'Every other object was looked at, and few turned.',
    situation: situation({ subject: drifted, now: due, next: due + hour, gate: free }),
    want: { do: 'correct' },
  },
  'corrects what is observed only on request': {
    reason: 'Somebody observed it, and wants corrections.',
    situation: situation({
      subject: aDrifted({}, { everyMs: undefined }),
      ...{ now: due, gate: free },
    }),
    want: { do: 'correct' },
  },
  'observes before it corrects': {
    reason: 'What was seen an interval ago may be different by now.',
    situation: situation({ subject: drifted, now: due, next: due - 1 }),
    want: { do: 'observe' },
  },
  'answers a request before it corrects': {
    reason: 'Somebody waits for the answer.',
    situation: situation({ subject: drifted, now: due, request: 'r-1' }),
    want: { do: 'observe', request: 'r-1' },
  },
  'waits with a correction while others are observed': {
    reason: 'They may show that the provider looks in the wrong place.',
    situation: situation({ subject: drifted, now: due, next: due + hour, pending: 1 }),
    want: until(due + 5_000),
  },
  'does not correct while corrections are held': {
    reason: 'The release wakes it; until then it is observed.',
    situation: situation({ subject: drifted, now: due, next: due + hour, gate: held }),
    want: until(due + hour),
  },
  'waits while it is unknown whether so many are gone that corrections are held': {
    reason: 'What was not looked at yet decides it.',
    situation: situation({ subject: drifted, now: due, next: due + hour, gate: unknown }),
    want: until(due + 5_000),
  },
  'observes on while that is unknown': {
    reason: 'Otherwise it stays so.',
    situation: situation({
      subject: drifted,
      ...{ now: due, next: due + hour, gate: unknown, isConfirmed: false },
    }),
    want: { do: 'observe' },
  },
  'waits for the first whole window of a new leader': {
    reason: 'It knows nothing of what an earlier one looked at.',
    situation: situation({ subject: drifted, now: due, beganAt: due - 1, next: due + 2 * hour }),
    want: until(wholeWindowEndAfter({ provider: drifted.provider, everyMs: hour }, due - 1)),
  },
  'waits for the release alone, without a schedule': {
    reason: 'Nothing else is due.',
    situation: situation({ subject: drifted, now: due, gate: held }),
    want: { do: 'nothing' },
  },
  'observes before it acts on what was seen before an outage or a release': {
    reason: 'It may have been repaired since.',
    situation: situation({
      subject: drifted,
      ...{ now: due, next: due + hour, gate: free, isConfirmed: false },
    }),
    want: { do: 'observe' },
  },
  'does not correct what it cannot observe': {
    reason: 'The next moment tries again; a failure confirms nothing.',
    situation: situation({
      subject: drifted,
      ...{ now: due, next: due + hour, gate: free, isConfirmed: false, failures: 1 },
    }),
    want: until(due + hour),
  },
  'only reports drift by default': {
    reason: 'Reporting is the default, and nobody looks at the provider.',
    situation: situation({
      subject: aSubject({ status: { drift: changed } }),
      now: due,
      next: due + 1,
    }),
    want: until(due + 1),
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, situation: given, want }) => {
  expect(decide(given), reason).toEqual(want);
});
