import { describe, expect, it } from 'vitest';
import { createLetterIndex } from '../../../../src/reconcilers/dead-letters/by-resource.ts';
import { decideMark, surplusOf } from '../../../../src/reconcilers/dead-letters/decide.ts';
import { aLetter, letterObject } from '../../../support/letter-builders.ts';

describe('the label of a letter', () => {
  it.each([
    [false, 'live', undefined],
    [true, 'live', false],
    [false, 'superseded', true],
    [true, 'superseded', undefined],
    [false, 'underWay', undefined],
    [true, 'underWay', undefined],
  ] as const)('that is %s, of a letter that is %s, becomes %s', (marked, standing, wanted) => {
    expect(decideMark(marked, standing)).toBe(wanted);
  });
});

describe('letters beyond the limit', () => {
  const letters = [aLetter(2), aLetter(3), aLetter(1)];

  it.each([
    [5, []],
    [3, []],
    [1, [aLetter(2), aLetter(1)]],
    [0, [aLetter(3), aLetter(2), aLetter(1)]],
  ])('of %i are the oldest', (kept, surplus) => {
    expect(surplusOf(letters, kept)).toEqual(surplus);
  });
});

describe('the index of letters', () => {
  const key = (number: number) => `ns/${aLetter(number).eventId}`;

  it('knows the letters of a resource, and which are marked', () => {
    const index = createLetterIndex();
    index.heard(key(1), letterObject(aLetter(1)));
    index.heard(key(2), letterObject(aLetter(2, { marked: true })));
    index.heard(key(2), letterObject(aLetter(2, { marked: true })));
    expect([...index.ofResource('ns/orders')]).toEqual([key(1), key(2)]);
    expect([...index.marked('ns')]).toEqual([key(2)]);
    expect([...index.marked('elsewhere')]).toEqual([]);
  });

  it('forgets what is gone, no longer marked, or now of another resource', () => {
    const index = createLetterIndex();
    index.heard(key(1), letterObject(aLetter(1, { marked: true })));
    index.heard(key(2), letterObject(aLetter(2, { marked: true })));
    index.heard(key(1), undefined);
    index.heard(key(1), undefined);
    const { resource } = aLetter(2);
    index.heard(key(2), letterObject(aLetter(2, { resource: { ...resource, name: 'other' } })));
    expect([...index.marked('ns')]).toEqual([]);
    expect([...index.ofResource('ns/orders')]).toEqual([]);
    expect([...index.ofResource('ns/other')]).toEqual([key(2)]);
  });
});
