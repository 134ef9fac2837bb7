import { expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import { heldUp, paceIn, waitsForSettings } from '../../../src/explanation/pace.ts';
import { inFlight, now, secondsLater } from '../../support/fixtures/builders.ts';

const until = secondsLater(90).toISOString();
const said = `The provider asked to wait with all events until ${until}: rate_limited: Slow down`;
const due = inFlight();
const later = inFlight({ nextAttemptAt: until });
const refused = `The settings of the provider do not work any more; an event tries again at ${until}: settings_refused: no`;
const heldFor = (reason: string, message: string) =>
  inFlight(
    { nextAttemptAt: until, hold: { since: now.toISOString(), scope: 'Provider' } },
    {
      status: {
        reason,
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason,
            message,
            lastTransitionTime: now.toISOString(),
          },
        ],
      },
    },
  );
const held = heldFor('RateLimited', said);
const { provider, resource: type } = due.spec;
const turn = (limit: number, of: string) =>
  `and is under way or waits for one of ${limit} deliveries at a time of ${of}`;

interface Case {
  readonly others: readonly Resource[];
  readonly limits?: { readonly type?: number; readonly provider?: number };
  readonly confined?: boolean;
  readonly want: string | undefined;
}

const cases: Record<string, Case> = {
  nothing: { others: [due, due], want: undefined },
  'a wait that its provider asked for': {
    others: [held],
    limits: { type: 1 },
    want: `because ${said.replace('The', 'the')}`,
  },
  'that wait, for a caller who may not see the other resource': {
    others: [held],
    confined: true,
    want: `because the provider asked to wait with all events until ${until}`,
  },
  'settings that do not work any more': {
    others: [heldFor('SettingsRefused', refused)],
    want: `because ${refused.replace('The', 'the')}`,
  },
  'the limit of its type': {
    others: [due],
    limits: { type: 1, provider: 1 },
    want: turn(1, `type ${provider}/${type}`),
  },
  'the limit of its provider': {
    others: [due, due],
    limits: { type: 4, provider: 2 },
    want: turn(2, `provider ${provider}`),
  },
  'no limit that others do not reach': {
    others: [later],
    limits: { type: 1, provider: 1 },
    want: undefined,
  },
};

it.each(Object.entries(cases))('names %s', (_what, { others, limits = {}, confined, want }) => {
  const pace = paceIn([due, ...others], now);
  const given = { type: limits.type, provider: limits.provider };
  expect(heldUp(due, pace, { limits: given, confined: confined ?? false })).toBe(want);
});

it('names other events that may end their process, of one that may', () => {
  const suspect = inFlight({ crash: 'Suspect' });
  const culprit = inFlight({ crash: 'Culprit' });
  const pace = paceIn([due, suspect, culprit], now);
  const options = { limits: { type: undefined, provider: undefined }, confined: false };
  const want = turn(1, `events of provider ${provider} that may end its process`);
  expect(heldUp(suspect, pace, options)).toBe(want);
  expect(heldUp(due, pace, options)).toBeUndefined();
  expect(heldUp(suspect, paceIn([due, suspect], now), options)).toBeUndefined();
});

it('names no wait that has passed', () => {
  const pace = paceIn([due, held], secondsLater(91));
  const limits = { type: undefined, provider: undefined };
  expect(heldUp(due, pace, { limits, confined: false })).toBeUndefined();
});

it.each([
  ['RateLimited', false],
  ['SettingsRefused', true],
] as const)('with a hold of reason %s, settings are waited for: %s', (reason, want) => {
  expect(waitsForSettings(due, paceIn([due, heldFor(reason, said)], now))).toBe(want);
});
