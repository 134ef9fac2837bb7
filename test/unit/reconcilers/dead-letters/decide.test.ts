import { describe, expect, it } from 'vitest';
import { createDeadLetterIndex } from '../../../../src/reconcilers/dead-letters/by-resource.ts';
import { decideMark, surplusDeadLetters } from '../../../../src/reconcilers/dead-letters/decide.ts';
import {
  aDeadLetter,
  deadLetterObject,
} from '../../../support/fixtures/dead-letters/dead-letter-builders.ts';

describe('the label of a letter', () => {
  it.each([
    [false, 'live', undefined],
    [true, 'live', false],
    [false, 'superseded', true],
    [true, 'superseded', undefined],
    [false, 'underWay', undefined],
    [true, 'underWay', undefined],
  ] as const)('that is %s, of a letter that is %s, becomes %s', (marked, state, wanted) => {
    expect(decideMark(marked, state)).toBe(wanted);
  });
});

describe('letters beyond the limit', () => {
  const deadLetters = [aDeadLetter(2), aDeadLetter(3), aDeadLetter(1)];

  it.each([
    [5, []],
    [3, []],
    [1, [aDeadLetter(2), aDeadLetter(1)]],
    [0, [aDeadLetter(3), aDeadLetter(2), aDeadLetter(1)]],
  ])('of %i are the oldest', (kept, surplus) => {
    expect(surplusDeadLetters(deadLetters, kept)).toEqual(surplus);
  });
});

describe('the index of letters', () => {
  const key = (number: number) => `ns/${aDeadLetter(number).eventId}`;

  it('finds the letters of a resource, and the marked ones', () => {
    const index = createDeadLetterIndex();
    index.heard(key(1), deadLetterObject(aDeadLetter(1)));
    index.heard(key(2), deadLetterObject(aDeadLetter(2, { marked: true })));
    index.heard(key(2), deadLetterObject(aDeadLetter(2, { marked: true })));
    expect([...index.ofResource('ns/orders')]).toEqual([key(1), key(2)]);
    expect([...index.marked('ns')]).toEqual([key(2)]);
    expect([...index.marked('elsewhere')]).toEqual([]);
  });

  it('drops letters that are deleted, no longer marked, or of another resource', () => {
    const index = createDeadLetterIndex();
    index.heard(key(1), deadLetterObject(aDeadLetter(1, { marked: true })));
    index.heard(key(2), deadLetterObject(aDeadLetter(2, { marked: true })));
    index.heard(key(1), undefined);
    index.heard(key(1), undefined);
    const { resource } = aDeadLetter(2);
    index.heard(
      key(2),
      deadLetterObject(aDeadLetter(2, { resource: { ...resource, name: 'other' } })),
    );
    expect([...index.marked('ns')]).toEqual([]);
    expect([...index.ofResource('ns/orders')]).toEqual([]);
    expect([...index.ofResource('ns/other')]).toEqual([key(2)]);
  });
});
