import { describe, expect, it } from 'vitest';
import { type CauseView, decide, type Plan } from '../../../../src/reconcilers/redrive/decide.ts';
import { type Cause, maxCauses } from '../../../../src/store/dead-letters/redrives.ts';
import { aDeadLetter } from '../../../support/fixtures/dead-letters/dead-letter-builders.ts';

const first = aDeadLetter(1);
const second = aDeadLetter(2);
const third = aDeadLetter(3);
const key = 'postgres/0123456789ab';

function aCause(state: Cause['state'], canary = first.eventId): Cause {
  return { canary, type: 'CREATE', state };
}

function aView(changes: Partial<CauseView> = {}): CauseView {
  return {
    key,
    recorded: undefined,
    live: [],
    underWay: 0,
    canaryOutcome: undefined,
    failedSince: 0,
    batchSucceeded: undefined,
    ...changes,
  };
}

interface Case {
  readonly reason: string;
  readonly view: CauseView;
  readonly state: Cause['state'] | 'forgotten' | 'as before';
  readonly send: readonly (typeof first)[];
  readonly outlook: Plan['outlook'];
}

const trying = aCause('trying');
const open = aCause('open');

const cases: Record<string, Case> = {
  'sends the oldest letter as the canary': {
    reason: 'It is unknown whether the cause is resolved.',
    view: aView({ live: [first, second] }),
    state: 'trying',
    send: [first],
    outlook: 'wait',
  },
  'waits for the canary': {
    reason: 'The others might fail as well.',
    view: aView({ recorded: trying, live: [second], underWay: 1, canaryOutcome: 'pending' }),
    state: 'as before',
    send: [],
    outlook: 'wait',
  },
  'waits for the last letter of a cause': {
    reason: 'The last dead letter may return and must be counted.',
    view: aView({ recorded: trying, canaryOutcome: 'pending' }),
    state: 'as before',
    send: [],
    outlook: 'wait',
  },
  'sends what was recorded and not sent': {
    reason: 'The controller crashed between the two writes.',
    view: aView({ recorded: trying, live: [first, second], canaryOutcome: 'missed' }),
    state: 'as before',
    send: [first],
    outlook: 'wait',
  },
  'sends the rest after the canary succeeded': {
    reason: 'The cause is resolved.',
    view: aView({ recorded: trying, live: [second, third], canaryOutcome: 'succeeded' }),
    state: 'open',
    send: [second, third],
    outlook: 'wait',
  },
  'is done when the only letter succeeded': {
    reason: 'No other dead letters have this cause.',
    view: aView({ recorded: trying, canaryOutcome: 'succeeded' }),
    state: 'as before',
    send: [],
    outlook: 'finished',
  },
  'holds the rest when the canary failed again, and is done': {
    reason: 'Nothing is sent before another request.',
    view: aView({ recorded: trying, live: [second, third], canaryOutcome: 'failed' }),
    state: 'as before',
    send: [],
    outlook: 'finished',
  },
  'sends another canary when the first is void': {
    reason: 'Its resource was applied again or deleted, or the dead letter was deleted.',
    view: aView({ recorded: trying, live: [second, third], canaryOutcome: 'void' }),
    state: 'trying',
    send: [second],
    outlook: 'wait',
  },
  'is done without letters for a canary': {
    reason: 'All dead letters are superseded.',
    view: aView({ recorded: trying, canaryOutcome: 'void' }),
    state: 'as before',
    send: [],
    outlook: 'finished',
  },
  'continues with an open cause': {
    reason: 'The next batch follows.',
    view: aView({ recorded: open, live: [second, third] }),
    state: 'as before',
    send: [second, third],
    outlook: 'wait',
  },
  'waits for what may become live': {
    reason: 'A dead letter is written before its resource is marked as failed.',
    view: aView({ recorded: open, underWay: 1 }),
    state: 'as before',
    send: [],
    outlook: 'wait',
  },
  'continues when a few of many fail again': {
    reason: 'Others of the newest batch succeeded.',
    view: aView({ recorded: open, live: [third], failedSince: 9, batchSucceeded: true }),
    state: 'as before',
    send: [third],
    outlook: 'wait',
  },
  'continues while too few have failed again': {
    reason: 'Two failures may have separate causes.',
    view: aView({ recorded: open, live: [third], failedSince: 2, batchSucceeded: false }),
    state: 'as before',
    send: [third],
    outlook: 'wait',
  },
  'continues when others fail with this cause and none of its own has ended': {
    reason: 'Their failures do not concern the sent events.',
    view: aView({ recorded: open, live: [third], failedSince: 9 }),
    state: 'as before',
    send: [third],
    outlook: 'wait',
  },
  'holds the rest when later letters fail after the canary': {
    reason: 'Three failed again, and none of the newest batch succeeded.',
    view: aView({ recorded: open, live: [third], failedSince: 3, batchSucceeded: false }),
    state: 'as before',
    send: [],
    outlook: 'finished',
  },
  'keeps a held cause unchanged': {
    reason: 'Only another request sends it again.',
    view: aView({ recorded: aCause('held'), live: [second, third] }),
    state: 'as before',
    send: [],
    outlook: 'finished',
  },
};

describe('a redrive, for each cause,', () => {
  it.each(Object.entries(cases))('%s', (_name, { view, state, send, outlook }) => {
    const plan = decide({ causes: [view], superseded: [], budget: 50 });
    expect(plan.send.map(({ deadLetter }) => deadLetter)).toEqual(send);
    expect(plan.outlook).toBe(outlook);
    const recorded = plan.record?.[key]?.state;
    if (state === 'as before') expect(plan.record).toBeUndefined();
    else expect(recorded ?? 'forgotten').toBe(state);
  });
});

const other = 'mail/ba9876543210';
const heldElsewhere = aView({
  key: other,
  recorded: aCause('held', 'evt-x'),
  live: [aDeadLetter(9)],
});

describe('a redrive of several causes', () => {
  it('is not done while one of them is tested', () => {
    const one = aView({ recorded: trying, canaryOutcome: 'pending' });
    expect(decide({ causes: [one, heldElsewhere], superseded: [], budget: 50 }).outlook).toBe(
      'wait',
    );
  });

  it('records what is held, once', () => {
    const failed = aView({ recorded: trying, live: [second], canaryOutcome: 'failed' });
    const busy = aView({
      key: other,
      recorded: aCause('trying', third.eventId),
      canaryOutcome: 'pending',
    });
    const plan = decide({ causes: [failed, busy], superseded: [], budget: 50 });
    expect(plan.record?.[key]).toEqual(aCause('held'));
    expect(plan.heldNow).toEqual([key]);
    const later = aView({ recorded: aCause('held'), live: [second] });
    expect(decide({ causes: [later, busy], superseded: [], budget: 50 }).heldNow).toEqual([]);
  });

  it('drops a finished cause while others are unfinished', () => {
    const done = aView({ recorded: open });
    const busy = aView({
      key: other,
      recorded: aCause('trying', third.eventId),
      canaryOutcome: 'pending',
    });
    const plan = decide({ causes: [done, busy], superseded: [], budget: 50 });
    expect(Object.keys(plan.record ?? {})).toEqual([other]);
  });

  it('sends canaries first, and then the oldest of any cause', () => {
    const ahead = aView({ key: other, live: [aDeadLetter(8)] });
    const going = aView({ recorded: open, live: [first, third] });
    const more = aView({ key: 'mail/1', recorded: open, live: [second] });
    const { send } = decide({ causes: [going, more, ahead], superseded: [], budget: 50 });
    expect(send.map(({ deadLetter }) => deadLetter)).toEqual([
      aDeadLetter(8),
      first,
      second,
      third,
    ]);
  });
});

describe('the pace of a redrive', () => {
  it('removes and sends no more than its budget, and continues later', () => {
    const going = aView({ recorded: open, live: [first, second, third] });
    const superseded = [aDeadLetter(20), aDeadLetter(21)];
    const plan = decide({ causes: [going], superseded, budget: 3 });
    expect(plan.remove).toEqual(superseded);
    expect(plan.send.map(({ deadLetter }) => deadLetter)).toEqual([first]);
    expect(plan.outlook).toBe('batch');
  });

  it('records no canary that it does not send', () => {
    const plan = decide({ causes: [aView({ live: [first] })], superseded: [], budget: 0 });
    expect(plan).toMatchObject({ record: undefined, send: [], outlook: 'batch' });
  });

  it('records results also when nothing may be sent', () => {
    const succeeded = aView({ recorded: trying, live: [second], canaryOutcome: 'succeeded' });
    const plan = decide({ causes: [succeeded], superseded: [], budget: 0 });
    expect(plan.record?.[key]?.state).toBe('open');
    expect(plan.send).toEqual([]);
  });

  it('is not done before superseded letters are removed', () => {
    expect(decide({ causes: [], superseded: [first], budget: 50 }).outlook).toBe('wait');
    expect(decide({ causes: [], superseded: [], budget: 50 }).outlook).toBe('finished');
  });
});

describe('more causes than fit into an object', () => {
  const many = (count: number, recorded: Cause['state']) =>
    Array.from({ length: count }, (_, index) =>
      aView({ key: `p/${index}`, recorded: aCause(recorded), canaryOutcome: 'pending' }),
    );

  it('wait for a later pass', () => {
    const causes = [...many(maxCauses - 1, 'trying'), aView({ live: [first] })];
    const late = aView({ key: other, live: [second] });
    const plan = decide({ causes: [...causes, late], superseded: [], budget: 50 });
    expect(Object.keys(plan.record ?? {})).toHaveLength(maxCauses);
    expect(plan.send.map(({ deadLetter }) => deadLetter)).toEqual([first]);
    expect(plan.outlook).toBe('wait');
  });

  it('stay when held ones take all the room', () => {
    const causes = [...many(maxCauses, 'held'), aView({ live: [first] })];
    const plan = decide({ causes, superseded: [], budget: 50 });
    expect(plan).toMatchObject({ send: [], outlook: 'finished' });
  });
});
