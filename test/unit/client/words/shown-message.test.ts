// What a record says about its event.
import { expect, it } from 'vitest';
import { shownMessage } from '../../../../src/client/words/shown-message.ts';

const progress = { done: 20_000, total: 100_000, message: 'Copying rows' };
const waiting = 'Deletion is waiting for the running CREATE operation to finish';
const long = `Copying ${'x'.repeat(300)}`;

it.each([
  [
    'Sending the CREATE event to provider box',
    undefined,
    'Sending the CREATE event to provider box',
  ],
  [null, null, null],
  ['Sending the CREATE event to provider box', progress, '20,000 of 100,000 (20 %): Copying rows'],
  ['Copying rows', progress, '20,000 of 100,000 (20 %): Copying rows'],
  [`${waiting}: Copying rows`, progress, `20,000 of 100,000 (20 %): ${waiting}: Copying rows`],
  [long, { ...progress, total: null, message: `${long.slice(0, 199)}…` }, `20,000 done: ${long}`],
  ['The message before', { done: null, total: null, message: 'Indexing' }, 'Indexing'],
  ['The provider is still working', { ...progress, message: null }, '20,000 of 100,000 (20 %)'],
])('of %j with %j', (message, reported, want) => {
  const record = {
    reason: 'InProgress',
    message,
    ...(reported === undefined ? {} : { progress: reported }),
  };
  expect(shownMessage(record)).toBe(want);
});

it('of one that waits for its provider, whatever was reported before', () => {
  const message = 'Waiting for provider box to become ready';
  expect(shownMessage({ reason: 'WaitingForProvider', message, progress })).toBe(message);
});
