import { expect, it } from 'vitest';
import { createAnswerBook } from '../../../../src/reconcilers/resource/unrecorded-answers.ts';
import { aClaim } from '../../../support/builders.ts';

const heard = {
  answer: { kind: 'failed', terminal: true, code: 'NO', message: 'no' },
  config: {},
} as const;

it('finds an answer for the delivery that it was given to', () => {
  const answers = createAnswerBook();
  answers.keep(aClaim({ sequence: 7 }), heard);
  expect(answers.find(aClaim({ sequence: 7, attempt: 1 }))).toBe(heard);
});

it('finds nothing for a retried dead letter, whose event and attempt are the same', () => {
  const answers = createAnswerBook();
  answers.keep(aClaim({ sequence: 7 }), heard);
  expect(answers.find(aClaim({ sequence: 8, attempt: 1, requeued: 1 }))).toBeUndefined();
});

it('finds an answer to an event that 0.1.0 claimed, until its next delivery', () => {
  const answers = createAnswerBook();
  answers.keep(aClaim(), heard);
  expect(answers.find(aClaim())).toBe(heard);
  expect(answers.find(aClaim({ sequence: 1 }))).toBeUndefined();
});

it('drops an answer', () => {
  const answers = createAnswerBook();
  answers.keep(aClaim({ sequence: 7 }), heard);
  answers.drop(aClaim({ sequence: 7 }));
  expect(answers.find(aClaim({ sequence: 7 }))).toBeUndefined();
});
