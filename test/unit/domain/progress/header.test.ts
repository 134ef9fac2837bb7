// The header of a 102 with progress: what is written is read again, and what a hostile provider writes does no harm.
import { describe, expect, it } from 'vitest';
import { progressField, progressInField } from '../../../../src/domain/progress/header.ts';

describe('written and read again', () => {
  it.each([
    [{ done: 3, total: 10, message: 'Copying' }, 'done=3, total=10, message="Copying"'],
    [{ done: 0.25, total: 1 }, 'done=0.25, total=1'],
    [{ done: 0 }, 'done=0'],
    [{ message: 'say "a\\b"' }, 'message="say \\"a\\\\b\\""'],
    [{ message: 'Größe 5 % "x"' }, 'message=%"Gr%c3%b6%c3%9fe 5 %25 %22x%22"'],
    [{ done: 999_999_999_999_999 }, 'done=999999999999999'],
  ])('%o', (progress, field) => {
    expect(progressField(progress)).toBe(field);
    expect(progressInField(field)).toEqual(progress);
  });

  it('a message of 200 characters of three bytes', () => {
    const progress = { done: 1, message: '進'.repeat(200) };
    expect(progressInField(progressField(progress))).toEqual(progress);
  });
});

it.each([
  ['done=3,total=10', { done: 3, total: 10 }, 'spaces may be absent'],
  ['done=3\t ,  total=10', { done: 3, total: 10 }, 'spaces and tabs may be around a comma'],
  ['done=3;unit=rows, total=10', { done: 3, total: 10 }, 'parameters are ignored'],
  ['done=3, eta=@1700000000, step=copy/1, ok', { done: 3 }, 'other members are ignored'],
  ['done=1, done=2', { done: 2 }, 'the last of a name counts'],
  ['__proto__=1, done=2', undefined, 'no name of a member begins with _'],
  ['message="a%0d%0ab"', { message: 'a%0d%0ab' }, 'a string has no encoded bytes'],
  ['message=%"a%0d%0ab%1b%5b2Jc"', { message: 'a bc' }, 'control characters are removed'],
  ['', undefined, 'nothing is said'],
  ['total=3', undefined, 'a total needs what is done'],
  ['done=4, total=3', undefined, 'more than all is done'],
  ['done=-1', undefined, 'below 0'],
  ['done=1.', undefined, 'no decimal'],
  ['done=1e3', undefined, 'no number of RFC 9651'],
  ['done="3"', undefined, 'a text is no number'],
  ['done=3,', undefined, 'a comma must be followed by a member'],
  ['done=3 total=10', undefined, 'no comma'],
  ['message="a', undefined, 'an open string'],
  ['message="ä"', undefined, 'a string is ASCII'],
  ['message=%"%C3%A4"', undefined, 'capitals'],
  ['message=%"%ff"', undefined, 'no UTF-8'],
  [`done=3, message="${'x'.repeat(5_000)}"`, undefined, 'too long'],
  [`${'done=1;a, '.repeat(400)}!`, undefined, 'long and wrong at its end'],
])('reads %j as %j', (field, want, reason) => {
  expect(progressInField(field), reason).toEqual(want);
});
