// Positions in the logs of pods: as text and back, and what comes after one.
import { expect, it } from 'vitest';
import {
  cursorAt,
  type Position,
  positionsText,
  readPositions,
  sinceOf,
} from '../../../../src/store/providers/log-position.ts';

const at = (second: number, fraction = '000000000') =>
  `${String(second).padStart(11, '0')}.${fraction}`;

it('survives as text', () => {
  const positions = new Map<string, Position>([
    ['provider-box-1', { time: at(7), count: 2 }],
    ['provider-box-2', { time: at(9, '123456789'), count: 1 }],
  ]);
  expect(readPositions(positionsText(positions))).toEqual(positions);
});

it.each(['', '7', 'a=b', 'pod=00000000007.000000000', 'pod=1.0+1', '../x=00000000007.000000000+1'])(
  'is not read from %j',
  (text) => {
    expect(readPositions(text)).toBeUndefined();
  },
);

it('opens a stream at the whole second', () => {
  expect(sinceOf({ time: at(7, '900000000'), count: 1 })).toBe('1970-01-01T00:00:07Z');
});

const cases: Record<string, [Position | undefined, readonly string[], readonly string[]]> = {
  'everything from the beginning': [undefined, [at(1), at(2)], [at(1), at(2)]],
  'nothing that is older': [{ time: at(2), count: 1 }, [at(1), at(2), at(3)], [at(3)]],
  'only the rest of lines of the same time': [
    { time: at(2), count: 2 },
    [at(2), at(2), at(2), at(3)],
    [at(2), at(3)],
  ],
  'an older line behind a new one': [
    { time: at(2), count: 1 },
    [at(2), at(4), at(3)],
    [at(4), at(3)],
  ],
};

it.each(Object.entries(cases))('yields %s', (_name, [start, times, want]) => {
  const cursor = cursorAt(start);
  expect(times.filter((time) => cursor.isNew(time))).toEqual(want);
});

it('counts the lines of its time', () => {
  const cursor = cursorAt({ time: at(2), count: 1 });
  for (const time of [at(2), at(2), at(2)]) cursor.isNew(time);
  expect(cursor.position).toEqual({ time: at(2), count: 3 });
});
