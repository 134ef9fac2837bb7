import { expect, it } from 'vitest';
import { whenTooLarge } from '../../../../../src/reconcilers/resource/failures/too-large.ts';
import { aClaim, inFlight, now, observing } from '../../../../support/fixtures/builders.ts';

const event = aClaim();
const answer = { kind: 'succeeded', outputs: {} } as const;
const success = { do: 'recordSuccess', event, unrecorded: { answer, config: {} } } as const;
const claim = { do: 'claim', event } as const;
const found = { kind: 'observed', exists: true, config: {}, outputs: {} } as const;
const imported = { do: 'recordImport', event, unrecorded: { answer: found, config: {} } } as const;
const refusal = { kind: 'failed', code: 'NO', message: 'No', terminal: true } as const;
const uncancelled = { do: 'giveUpCancellation', event, answer: refusal } as const;
const deleted = { deletionTimestamp: now.toISOString(), generation: 2 };
const deleting = (forced: boolean) => observing(inFlight({}, { metadata: deleted }), { forced });
const failure = { code: 'TOO_LARGE_TO_STORE', reason: 'TooLarge' };
const fail = { do: 'fail', event: { id: event.id }, failure };

it.each([
  ['fails an event whose success is too large', success, observing(inFlight()), fail],
  ['fails it during the deletion, which goes on', success, deleting(false), fail],
  ['fails it during a forced deletion, which sends a DELETE', success, deleting(true), fail],
  ['fails an import whose object is too large', imported, observing(inFlight()), fail],
  ['fails what could not be cancelled', uncancelled, deleting(false), fail],
  ['repeats a claim', claim, observing(inFlight()), undefined],
  ['repeats the claim of a deletion', claim, deleting(false), undefined],
  ['abandons by force what cannot be claimed', claim, deleting(true), { do: 'abandon' }],
  [
    'repeats the release of what is abandoned',
    { do: 'abandon', why: 'Forced' },
    deleting(true),
    undefined,
  ],
] as const)('%s', (_what, decision, observed, want) => {
  const instead = whenTooLarge(decision, observed);
  if (want === undefined) expect(instead).toBeUndefined();
  else expect(instead).toMatchObject(want);
});
