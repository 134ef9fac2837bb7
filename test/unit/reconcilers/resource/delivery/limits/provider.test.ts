import { describe, expect, it } from 'vitest';
import type { DeliveryOutcome } from '../../../../../../src/reconcilers/resource/delivery/gate.ts';
import { createProviderLimit } from '../../../../../../src/reconcilers/resource/delivery/limits/provider.ts';
import { aDelivery } from '../../../../../support/fixtures/a-delivery.ts';
import { manualTime } from '../../../../../support/runner/manual-time.ts';

const silence = { silence: 'TIMEOUT' };

function limiterOf(width: number | (() => number), heldBeforeMs?: () => number) {
  const time = manualTime();
  const freed: string[] = [];
  const limit = createProviderLimit<string>({
    width: typeof width === 'number' ? () => width : width,
    onFree: (key) => freed.push(key),
    clock: time.clock,
    timers: time.timers,
    ...(heldBeforeMs && { heldBeforeMs }),
  });
  const limiter = {
    ...limit,
    enter: (provider: string, request: { key: string; attempt: string; isForced?: boolean }) =>
      limit.enter({ ...aDelivery(provider, request.key), ...request }),
    leave: (provider: string, outcome: DeliveryOutcome<string>) =>
      limit.leave(aDelivery(provider, ''), outcome),
  };
  const enter = (key: string, attempt = `${key}/1`) => limiter.enter('box', { key, attempt }).enter;
  return { limiter, freed, enter, time };
}

/** Five deliveries in a row without an answer. */
function opened(width: number) {
  const made = limiterOf(width);
  for (const key of ['1', '2', '3', '4', '5']) {
    made.enter(key);
    made.limiter.leave('box', silence);
  }
  return made;
}

describe('the limiter of a provider', () => {
  it('allows up to its width, and queues the others in order', () => {
    const { limiter, freed, enter } = limiterOf(2);
    expect([enter('a'), enter('b'), enter('c'), enter('d')]).toEqual([
      'go',
      'go',
      'queued',
      'queued',
    ]);
    limiter.leave('box', 'answered');
    expect(freed).toEqual(['c']);
    limiter.leave('box', 'answered');
    expect(freed).toEqual(['c', 'd']);
  });

  it('allows more as soon as there are more pods', () => {
    let width = 1;
    const { limiter, freed, enter } = limiterOf(() => width);
    for (const key of ['a', 'b', 'c', 'd']) enter(key);
    width = 3;
    limiter.leave('box', 'answered');
    expect(freed).toEqual(['b', 'c', 'd']);
  });

  it('counts events that are being delivered or wait', () => {
    const { limiter, enter } = limiterOf(1);
    expect(limiter.waiting('box')).toBe(0);
    for (const key of ['a', 'b', 'c']) enter(key);
    expect(limiter.waiting('box')).toBe(3);
    expect(limiter.waiting('crane')).toBe(0);
    limiter.leave('box', 'answered');
    // One was handed out, and has not entered again.
    expect(limiter.waiting('box')).toBe(1);
  });

  it('passes on the slot of a key that was handed out and does not come', () => {
    const { limiter, freed, enter } = opened(2);
    for (const key of ['probe', 'gone', 'a']) enter(key);
    limiter.leave('box', 'nothing');
    expect(freed.slice(-1)).toEqual(['gone']);
    limiter.forget(aDelivery('box', 'gone'));
    expect(freed.slice(-1)).toEqual(['a']);
  });

  it('does not delay another provider', () => {
    const { limiter, enter } = limiterOf(1);
    enter('a');
    expect(limiter.enter('crane', { key: 'a', attempt: 'a/1' }).enter).toBe('go');
  });

  it('narrows to one after five deliveries without a response', () => {
    const { enter } = opened(3);
    expect([enter('a'), enter('b')]).toEqual(['go', 'queued']);
  });

  it('fails all that waited when the probe fails', () => {
    const { limiter, freed, enter } = opened(3);
    for (const key of ['a', 'b', 'c']) enter(key);
    limiter.leave('box', silence);
    expect(freed).toEqual(['b', 'c']);
    expect(limiter.enter('box', { key: 'b', attempt: 'b/1' })).toEqual({
      enter: 'refused',
      silence: 'TIMEOUT',
    });
    expect(enter('b', 'b/2'), 'The next attempt tries for itself').toBe('go');
    expect(enter('c', 'c/2'), 'A refusal holds for the attempt that waited').toBe('queued');
  });

  it('returns to its width after one response, also an error', () => {
    const { limiter, freed, enter } = opened(3);
    for (const key of ['a', 'b', 'c', 'd', 'e']) enter(key);
    limiter.leave('box', 'answered');
    expect(freed).toEqual(['b', 'c', 'd']);
    expect([enter('b'), enter('c'), enter('d'), enter('f')]).toEqual(['go', 'go', 'go', 'queued']);
  });

  it('returns to its width when the provider works on an event, before its answer', () => {
    const { limiter, freed, enter } = opened(3);
    for (const key of ['a', 'b', 'c', 'd']) enter(key);
    limiter.alive('box');
    expect(freed).toEqual(['b', 'c']);
    limiter.alive('unknown');
  });

  it('stays open with responses between timeouts', () => {
    const { limiter, enter } = limiterOf(2);
    for (let times = 0; times < 12; times += 1) {
      enter('x');
      limiter.leave('box', times % 4 === 3 ? 'answered' : silence);
    }
    expect([enter('a'), enter('b')]).toEqual(['go', 'go']);
  });

  it('ignores a delivery that was aborted locally', () => {
    const { limiter, enter } = opened(2);
    enter('a');
    enter('b');
    limiter.leave('box', 'nothing');
    expect([enter('b'), enter('c')]).toEqual(['go', 'queued']);
  });
});

describe('a provider that asks to wait with everything', () => {
  /** Told so by one event, while another is under way. */
  function held(ms = 90_000) {
    const made = limiterOf(32);
    made.enter('told');
    made.enter('before');
    made.limiter.leave('box', { holdMs: ms });
    return made;
  }

  it('gets nothing until then, and then one event before the others', () => {
    const { limiter, freed, enter, time } = held();
    expect([enter('a'), enter('b'), enter('c')]).toEqual(['queued', 'queued', 'queued']);
    limiter.leave('box', 'answered');
    time.pass(89_999);
    expect(freed, 'an answer to an event from before says nothing').toEqual([]);
    time.pass(1);
    expect(freed).toEqual(['a']);
    expect([enter('a'), enter('d')]).toEqual(['go', 'queued']);
    limiter.leave('box', 'answered');
    expect(freed).toEqual(['a', 'b', 'c', 'd']);
    expect([enter('b'), enter('c'), enter('d')]).toEqual(['go', 'go', 'go']);
  });

  it('is tried beside an event that has been under way since before', () => {
    const { freed, enter, time } = held();
    enter('a');
    time.pass(90_000);
    expect([freed, enter('a'), enter('b')]).toEqual([['a'], 'go', 'queued']);
  });

  it('may ask for more, and never shortens what it asked for', () => {
    const { limiter, freed, enter, time } = held();
    enter('a');
    limiter.leave('box', { holdMs: 1_000 });
    time.pass(89_000);
    limiter.enter('box', { key: 'forced', attempt: 'forced/1', isForced: true });
    limiter.leave('box', { holdMs: 60_000 });
    time.pass(59_999);
    expect(freed).toEqual([]);
    time.pass(1);
    expect(freed).toEqual(['a']);
  });

  it('waits again when the first event is told so', () => {
    const { limiter, freed, enter, time } = held();
    limiter.leave('box', 'answered');
    enter('a');
    enter('b');
    time.pass(90_000);
    enter('a');
    limiter.leave('box', { holdMs: 90_000 });
    time.pass(89_999);
    expect(freed).toEqual(['a']);
    time.pass(1);
    expect(freed).toEqual(['a', 'b']);
  });

  it('is tried by another event when the first does not come, or ends without an answer', () => {
    const { limiter, freed, enter, time } = held();
    limiter.leave('box', 'answered');
    for (const key of ['gone', 'a', 'b']) enter(key);
    time.pass(95_000);
    expect(freed).toEqual(['gone', 'a']);
    enter('a');
    limiter.leave('box', 'nothing');
    expect(freed).toEqual(['gone', 'a', 'b']);
  });

  it('gets a forced deletion all the same', () => {
    const { limiter, enter } = held();
    const forced = { key: 'f', attempt: 'f/1', isForced: true };
    expect(limiter.enter('box', forced).enter).toBe('go');
    expect(enter('a')).toBe('queued');
  });

  it('is free again when nothing waited', () => {
    const { limiter, enter, time } = held();
    limiter.leave('box', 'answered');
    time.pass(90_000);
    expect([enter('a'), enter('b')]).toEqual(['go', 'go']);
  });

  it('is held by the next controller, which asks once', () => {
    let asked = 0;
    const { limiter, freed, enter, time } = limiterOf(32, () => {
      asked += 1;
      return 30_000;
    });
    expect([enter('a'), freed]).toEqual(['queued', []]);
    time.pass(30_000);
    enter('a');
    limiter.leave('box', 'answered');
    expect([enter('b'), asked]).toEqual(['go', 1]);
  });
});

describe('a slot that no event needs', () => {
  const hasSpare = ({ limiter }: ReturnType<typeof limiterOf>) => limiter.hasSpare('box');

  it('is there for a provider that does nothing, unless it has no pod', () => {
    expect([hasSpare(limiterOf(2)), hasSpare(limiterOf(0))]).toEqual([true, false]);
  });

  it('is there until the last one is taken, and again when one is free', () => {
    const made = limiterOf(2);
    made.enter('a');
    expect(hasSpare(made)).toBe(true);
    made.enter('b');
    expect(hasSpare(made)).toBe(false);
    made.limiter.leave('box', 'answered');
    expect(hasSpare(made)).toBe(true);
  });

  it('is not there while an event waits, although there are more slots', () => {
    let width = 1;
    const made = limiterOf(() => width);
    made.enter('a');
    made.enter('b');
    width = 9;
    expect(hasSpare(made)).toBe(false);
    made.limiter.forget(aDelivery('box', 'b'));
    expect(hasSpare(made)).toBe(true);
  });

  it('is not there while the provider does not answer', () => {
    const made = opened(3);
    expect(hasSpare(made)).toBe(false);
    made.enter('a');
    made.limiter.leave('box', 'answered');
    expect(hasSpare(made)).toBe(true);
  });

  it('is not there while the provider asks to wait, until it has answered an event', () => {
    const made = limiterOf(3);
    made.enter('told');
    made.limiter.leave('box', { holdMs: 90_000 });
    made.enter('a');
    expect(hasSpare(made)).toBe(false);
    made.time.pass(90_000);
    expect(hasSpare(made), 'one event tries first').toBe(false);
    made.enter('a');
    made.limiter.leave('box', 'answered');
    expect(hasSpare(made)).toBe(true);
  });

  it('is there after a wait in which nothing else was sent', () => {
    const made = limiterOf(3);
    made.enter('told');
    made.limiter.leave('box', { holdMs: 90_000 });
    expect(hasSpare(made)).toBe(false);
    made.time.pass(90_000);
    expect(hasSpare(made)).toBe(true);
  });
});
