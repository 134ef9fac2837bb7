import { describe, expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../../../src/crds/claimed-event.ts';
import type { Answer } from '../../../../../src/events/protocol.ts';
import type { Timers } from '../../../../../src/kube/timers.ts';
import {
  cancelOf,
  endHandler,
  isHandlerCancellable,
} from '../../../../../src/reconcilers/resource/deletion/cancel-handler.ts';
import { inFlight, observing } from '../../../../support/fixtures/builders.ts';
import { eventually } from '../../../../support/runner/eventually.ts';
import { anEvent } from '../../../../support/servers/signing-fairlead.ts';

describe('a handler is cancellable', () => {
  const acceptedAt = '2026-01-01T00:00:00.000Z';
  const both = { cancellable: true, cancelsOperations: true };
  const rows: [string, Partial<ClaimedEvent>, object, boolean][] = [
    ['when its type says so', {}, { cancellable: true }, true],
    ['not when its type does not', {}, {}, false],
    ['not in a delete', { type: 'DELETE' }, { cancellable: true }, false],
    ['not in an observe, which only reads', { type: 'OBSERVE' }, { cancellable: true }, false],
    ['not in a poll that a deletion repeats', { acceptedAt }, { cancellable: true }, false],
    ['in a poll of an operation that is cancelled next', { acceptedAt }, both, true],
    ['not in cancel itself', { acceptedAt, cancellation: 'Requested' }, both, false],
    ['not after cancel has failed', { acceptedAt, cancellation: 'Failed' }, both, false],
  ];
  it.each(rows)('%s', (_when, event, options, want) => {
    expect(isHandlerCancellable(observing(inFlight(event), options))).toBe(want);
  });
});

it('is asked to end with the data of its event, under another id that stays the same', () => {
  const event = anEvent({ id: 'evt-1', type: 'UPDATE', context: { job: 1 } });
  const cancel = cancelOf(event, false);
  expect(cancel).toEqual({
    ...event,
    id: expect.stringMatching(/^evt-[0-9a-f]{32}$/),
    type: 'CANCEL',
    cancels: { event_id: 'evt-1', event_type: 'UPDATE', operation: false },
  });
  expect(cancelOf({ ...event, attempt: 2 }, true).id).toBe(cancel.id);
  expect(() => cancelOf(anEvent({ type: 'DELETE' }), false)).toThrow(TypeError);
});

describe('a handler in flight', () => {
  const taken: Answer = { kind: 'succeeded', outputs: {} };
  const missed: Answer = { kind: 'failed', terminal: true, code: 'not_running', message: '' };

  function asking(answers: readonly Answer[]) {
    const deletion = new AbortController();
    const ended = new AbortController();
    const waits: (() => void)[] = [];
    let asked = 0;
    const timers: Timers = {
      after(ms, callback) {
        expect(ms).toBe(2_000);
        waits.push(callback);
        return () => undefined;
      },
    };
    const ask = () => {
      asked += 1;
      const answer = answers[asked - 1];
      return answer === undefined ? Promise.reject(new Error('no lead')) : Promise.resolve(answer);
    };
    endHandler({ deletion: deletion.signal, ended: ended.signal, ask, timers });
    return { deletion, ended, waits, asked: () => asked };
  }

  it('is asked to end when its resource is deleted, and once', async () => {
    const { deletion, waits, asked } = asking([taken]);
    expect(asked()).toBe(0);
    deletion.abort();
    deletion.abort();
    await eventually(() => expect(asked()).toBe(1));
    expect(waits).toEqual([]);
  });

  it('is asked again after two seconds while it was not found', async () => {
    const { deletion, waits, asked } = asking([missed, missed, taken]);
    deletion.abort();
    for (const round of [1, 2]) {
      await eventually(() => expect(waits).toHaveLength(round));
      expect(asked()).toBe(round);
      waits.at(-1)?.();
    }
    await eventually(() => expect(asked()).toBe(3));
    expect(waits).toHaveLength(2);
  });

  it('is asked no more once its delivery has ended', async () => {
    const { deletion, ended, waits, asked } = asking([missed, missed]);
    deletion.abort();
    await eventually(() => expect(waits).toHaveLength(1));
    ended.abort();
    waits[0]?.();
    await Promise.resolve();
    expect(asked()).toBe(1);
  });

  it('is left to the next leader when this process leads no more', async () => {
    const { deletion, asked } = asking([]);
    deletion.abort();
    await eventually(() => expect(asked()).toBe(1));
  });
});
