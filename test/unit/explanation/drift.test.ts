// Explanations of the object of a resource: drift, what holds its correction, what could not be observed, and imports.
import { expect, it } from 'vitest';
import { ofDriftedGroup } from '../../../src/explanation/drift.ts';
import { groupsOf } from '../../../src/explanation/groups.ts';
import { aClaim } from '../../support/fixtures/builders.ts';
import {
  changed,
  finder,
  gone,
  named,
  since,
} from '../../support/fixtures/explanation/explained-resources.ts';
import {
  available,
  confinedEditor,
  explained,
  explainedAt,
  letter,
  served,
  unserved,
  viewer,
} from '../../support/fixtures/explanation/explanations.ts';

type Given = NonNullable<Parameters<typeof named>[1]>;
const orders = 'postgres/database/orders';
const drifted = (more: Given = {}) =>
  named('orders', { state: 'ready', reason: 'Drifted', drift: changed, ...more });
const lost = (more: Given = {}) =>
  named('orders', { state: 'ready', reason: 'Gone', drift: gone, ...more });
const held = { since, message: '12 of 40 objects of provider postgres differ' };
const correcting = { spec: { observe: { onDrift: 'Correct' as const } } };
const only = { management: 'Observed' as const };
const imported = (status: Given) => named('orders', { spec: { adopt: { id: '7' } }, ...status });
const steps = (...all: string[]) => all.map((each) => expect.objectContaining({ do: each }));

/** Since when it differs; it is ready for longer. */
const lately = '2026-01-02T12:00:00.000Z';

const cases: Record<string, [ReturnType<typeof explained>, object]> = {
  'drift names how many values differ, and where': [
    explained([drifted({ drift: { ...changed, since: lately } })]),
    {
      summary: `${orders} has drifted: /size, /tags differ, 2 of 7 compared values.`,
      state: 'ready',
      reason: 'Drifted',
      chain: [{ kind: 'resource', ref: orders, state: 'ready', reason: 'Drifted', since: lately }],
      next: [
        { do: 'correct', resource: orders, why: 'Have the object made what the config declares' },
        { do: 'apply_actual', resource: orders, why: 'Or declare what is there' },
        { do: 'edit', resource: orders, why: expect.stringContaining('observe.ignore') },
      ],
    },
  ],
  'one value of many': [
    explained([drifted({ drift: { ...changed, total: 1, changes: changed.changes.slice(0, 1) } })]),
    { summary: `${orders} has drifted: /size differs, 1 of 7 compared values.` },
  ],
  'more values than are recorded cannot be declared from the record': [
    explained([drifted({ drift: { ...changed, total: 60, compared: 90 } })]),
    {
      summary: `${orders} has drifted: /size, /tags and 58 more differ, 60 of 90 compared values.`,
      next: steps('correct', 'edit'),
    },
  ],
  'a secret that differs cannot either': [
    explained([drifted({ drift: { ...changed, total: 1, changes: [{ path: '/password' }] } })]),
    { next: steps('correct', 'edit') },
  ],
  'drift that Fairlead corrects': [
    explained([drifted(correcting)]),
    {
      next: [
        {
          do: 'wait',
          why: 'Fairlead corrects it by itself after a whole window of observations, at 1970-01-01T00:00Z at the latest',
        },
        { do: 'correct', why: 'Or have the object made what the config declares' },
        ...steps('apply_actual', 'edit'),
      ],
    },
  ],
  'drift while corrections are held': [
    explained([drifted(correcting)], { provider: { ...available, correctionsHeld: held } }),
    {
      summary: expect.stringMatching(
        /so many objects of provider postgres differ that corrections are held\.$/,
      ),
      chain: [
        { kind: 'provider', ref: 'postgres', reason: 'CorrectionsHeld', message: held.message },
        { kind: 'resource', ref: orders },
      ],
      next: steps('release_corrections', 'correct', 'apply_actual', 'edit'),
    },
  ],
  'an object that is gone': [
    explained([lost()]),
    {
      summary: `${orders} has no object any more: it is gone.`,
      reason: 'Gone',
      next: [
        { do: 'correct', why: 'Have the object created again' },
        ...steps('observe', 'delete'),
      ],
    },
  ],
  'an object that is gone, of a resource in use': [
    explained([lost()], { users: ['postgres/database/shop'] }),
    { next: steps('correct', 'observe') },
  ],
  'an object that somebody else manages as well': [
    explained([
      drifted({
        ...correcting,
        reason: 'CorrectionLoop',
        corrections: { count: 3, at: since, generation: 4 },
      }),
    ]),
    {
      summary: `${orders} has drifted again after 3 corrections: /size, /tags differ, 2 of 7 compared values.`,
      next: steps('edit', 'apply_actual', 'correct'),
    },
  ],
  'a paused resource': [
    explained([drifted({ spec: { paused: true } })]),
    { next: steps('resume', 'edit') },
  ],
  'an object that is only observed': [
    explained([drifted({ spec: only })]),
    { next: steps('apply_actual', 'edit') },
  ],
  'drift, for a viewer': [
    explained([drifted()], {}, viewer),
    { next: [{ do: 'ask_editor', resource: orders }] },
  ],
  'drift, for a token of one project': [
    explained([drifted(correcting)], { provider: undefined, confined: true }, confinedEditor),
    { next: steps('correct', 'apply_actual', 'edit') },
  ],
  'an object that could not be observed': [
    explained([named('orders', { state: 'ready', reason: 'Processed', unobserved: 'TIMEOUT: x' })]),
    {
      summary: `${orders} is ready, but its object could not be observed.`,
      chain: [
        {
          kind: 'provider',
          state: 'failed',
          reason: 'ObserveFailed',
          message: 'TIMEOUT: x',
          since,
        },
        { kind: 'resource', state: 'ready' },
      ],
      next: steps('observe', 'read_logs'),
    },
  ],
  'drift of before a change that is under way': [
    explained([
      named('orders', {
        state: 'processing',
        reason: 'Processing',
        event: aClaim(),
        drift: changed,
      }),
    ]),
    { summary: expect.not.stringContaining('drift'), next: [{ do: 'wait' }] },
  ],
  'one that was not observed yet': [
    explained([named('orders', { state: 'pending', reason: 'Observing', spec: only })]),
    {
      summary: `${orders} is pending: its object has not been observed yet.`,
      next: [{ do: 'wait' }],
    },
  ],
  'one whose provider cannot be asked': [
    explained([named('orders', { state: 'pending', reason: 'Observing', spec: only })], {
      delivery: unserved,
      provider: { ...available, state: 'progressing', reason: 'Progressing' },
    }),
    {
      summary: `${orders} is pending because provider postgres is not ready.`,
      next: steps('wait', 'read_logs'),
    },
  ],
  'one whose object does not exist': [
    explained([named('orders', { state: 'pending', reason: 'NotFound', spec: only })]),
    {
      summary: `${orders} is pending: its object does not exist.`,
      next: [{ do: 'edit', why: expect.stringContaining('the config') }, { do: 'observe' }],
    },
  ],
  'an import under way': [
    explained([
      imported({
        state: 'processing',
        reason: 'Importing',
        event: aClaim({ type: 'OBSERVE', startedAt: since }),
      }),
    ]),
    {
      reason: 'Importing',
      summary: expect.stringContaining('attempt 1 of 5 has been running for 24 s'),
      next: [{ do: 'wait' }],
    },
  ],
  'an import that found nothing': [
    explained(
      [
        imported({
          state: 'failed',
          reason: 'ProviderFailed',
          error: 'NOT_FOUND: The provider finds no object for adopt',
          event: aClaim({ type: 'OBSERVE' }),
        }),
      ],
      { deadLetter: letter },
    ),
    {
      summary: `${orders} has failed because provider postgres finds no object for adopt.`,
      next: [
        {
          do: 'edit',
          resource: orders,
          why: expect.stringContaining('Nothing has what adopt says'),
        },
        { do: 'retry_dead_letters', why: expect.stringContaining('once the object exists') },
      ],
    },
  ],
  'a provider whose own code is NOT_FOUND': [
    explained([
      named('orders', {
        state: 'failed',
        reason: 'ProviderFailed',
        error: 'NOT_FOUND: no such host',
        event: aClaim({ type: 'UPDATE' }),
      }),
    ]),
    { summary: `${orders} has failed because provider postgres refused its config.` },
  ],
};

it.each(Object.entries(cases))('explains %s', (_name, [explanation, want]) => {
  expect(explanation).toMatchObject(want);
});

it('groups drifted resources by provider and kind, and names no object as the cause of others', async () => {
  const all = [
    drifted(),
    named('shop', { state: 'ready', reason: 'Drifted', drift: { ...changed, total: 1 } }),
    named('till', { state: 'ready', reason: 'Gone', drift: gone }),
    named('vm', { state: 'ready', reason: 'Drifted', drift: changed, spec: { provider: 'cloud' } }),
  ];
  const groups = await groupsOf(all, {
    pathOf: finder(...all),
    deliveryOf: () => served,
    maxAttempts: () => 5,
    now: explainedAt,
  });
  expect(groups.map(({ names }) => names)).toEqual([
    [orders, 'postgres/database/shop'],
    ['postgres/database/till'],
    ['cloud/database/vm'],
  ]);
  const [two, one] = groups;
  const of = two && ofDriftedGroup(two, explained([drifted()]));
  expect(of).toMatchObject({
    summary: `2 objects of provider postgres differ from their config. The first: ${orders} has drifted: /size, /tags differ, 2 of 7 compared values.`,
    cause: { kind: 'provider', ref: 'postgres', reason: 'Drifted', since },
  });
  expect(one && ofDriftedGroup(one, explained([lost()])), 'its own cause').toBeUndefined();
  const whileHeld = explained([drifted()], { provider: { ...available, correctionsHeld: held } });
  expect(two && ofDriftedGroup(two, whileHeld)?.cause.reason).toBe('CorrectionsHeld');
});
