import { expect, it } from 'vitest';
import { createUnrecordedAnswers } from '../../../../../src/reconcilers/resource/delivery/unrecorded-answers.ts';
import { aClaim } from '../../../../support/fixtures/builders.ts';

const unrecorded = {
  answer: { kind: 'failed', terminal: true, code: 'NO', message: 'no' },
  config: {},
} as const;

it('finds a response for its delivery', () => {
  const answers = createUnrecordedAnswers();
  answers.keep(aClaim({ sequence: 7 }), unrecorded, 'ns/one');
  expect(answers.find(aClaim({ sequence: 7, attempt: 1 }))).toBe(unrecorded);
});

it('finds nothing for a retried dead letter with the same event and attempt', () => {
  const answers = createUnrecordedAnswers();
  answers.keep(aClaim({ sequence: 7 }), unrecorded, 'ns/one');
  expect(answers.find(aClaim({ sequence: 8, attempt: 1, requeued: 1 }))).toBeUndefined();
});

it('drops a response', () => {
  const answers = createUnrecordedAnswers();
  answers.keep(aClaim({ sequence: 7 }), unrecorded, 'ns/one');
  answers.drop(aClaim({ sequence: 7 }));
  expect(answers.find(aClaim({ sequence: 7 }))).toBeUndefined();
});

it('has the order in which answers came', () => {
  const answers = createUnrecordedAnswers();
  const event = (id: string) => aClaim({ id });
  for (const id of ['a', 'b', 'c']) answers.keep(event(id), unrecorded, `ns/${id}`);
  answers.find(event('a'));
  const before = (id: string) => answers.before(event(id)).map(({ key }) => key);
  expect([before('a'), before('b').sort(), before('c').sort()]).toEqual([
    [],
    ['ns/a'],
    ['ns/a', 'ns/b'],
  ]);
  expect(before('another')).toEqual([]);
  answers.keep(event('a'), unrecorded, 'ns/a');
  expect(before('b')).toEqual([]);
});
