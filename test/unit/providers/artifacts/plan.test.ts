import { expect, it } from 'vitest';
import type { Digest } from '../../../../src/domain/providers/artifact.ts';
import {
  type AgedArtifact,
  type CollectionPlan,
  plan,
} from '../../../../src/providers/artifacts/collection/plan.ts';
import {
  advance,
  type CollectionState,
  formatState,
  parseState,
} from '../../../../src/providers/artifacts/collection/state.ts';

const day = 86_400;
const now = 100 * day;
const a: Digest = `sha256:${'a'.repeat(64)}`;
const at = (days: number): AgedArtifact => ({ digest: a, seconds: days * day });
const nothing: CollectionPlan = {
  restore: [],
  unmark: [],
  mark: [],
  due: [],
  purge: [],
  waiting: [],
};

interface Case {
  readonly reason: string;
  readonly isInPlace?: boolean;
  readonly isReferenced?: boolean;
  readonly marks?: readonly AgedArtifact[];
  readonly trash?: readonly AgedArtifact[];
  readonly dryRun?: boolean;
  readonly want: Partial<CollectionPlan>;
}

const cases: Readonly<Record<string, Case>> = {
  'leaves a referenced artifact alone': {
    reason: 'It is in use.',
    isReferenced: true,
    want: {},
  },
  'marks an unreferenced artifact': {
    reason: 'The grace period begins when it is seen unreferenced, not when it was uploaded.',
    want: { mark: [a] },
  },
  'waits for the end of the grace period': {
    reason: 'A backup of objects of that time must find it.',
    marks: [at(93.5)],
    want: { waiting: [at(93.5)] },
  },
  'moves it at the end of the grace period': {
    reason: 'Seven days have been counted.',
    marks: [at(93)],
    want: { due: [at(93)] },
  },
  'removes the mark of an artifact that is referenced again': {
    reason: 'A later grace period begins anew.',
    isReferenced: true,
    marks: [at(90)],
    want: { unmark: [at(90)] },
  },
  'removes the mark of a missing artifact': {
    reason: 'The same bytes may be uploaded again, and are then new.',
    isInPlace: false,
    marks: [at(90)],
    want: { unmark: [at(90)] },
  },
  'keeps the newest of two marks': {
    reason: 'Two processes collected at the same time; the longer wait is right.',
    marks: [at(90), at(99)],
    want: { unmark: [at(90)], waiting: [at(99)] },
  },
  'renews a mark of the future': {
    reason: 'The counted time was lost.',
    marks: [at(101)],
    want: { unmark: [at(101)], mark: [a] },
  },
  'keeps an artifact in the trash for a day': {
    reason: 'An object that refers to it may have been created at the moment of the move.',
    isInPlace: false,
    trash: [at(99.5)],
    want: {},
  },
  'deletes it a day later': {
    reason: 'Nothing refers to it.',
    isInPlace: false,
    trash: [at(99)],
    want: { purge: [at(99)] },
  },
  'moves a referenced artifact back, also when its day is over': {
    reason: 'References win.',
    isInPlace: false,
    isReferenced: true,
    trash: [at(90)],
    want: { restore: [at(90)] },
  },
  'keeps a copy in the trash for a day although the artifact is in place': {
    reason: 'Another process may be between its copy and its removal.',
    isReferenced: true,
    trash: [at(99.5)],
    want: {},
  },
  'deletes an old copy of an artifact in place': {
    reason: 'The move was interrupted after the copy, and the artifact is referenced again.',
    isReferenced: true,
    trash: [at(98)],
    want: { purge: [at(98)] },
  },
  'moves back what is in the trash since the future': {
    reason: 'The counted time was lost: it begins anew.',
    isInPlace: false,
    trash: [at(101)],
    want: { restore: [at(101)] },
  },
  'deletes nothing from the trash in a dry run': {
    reason: 'A dry run removes nothing.',
    isInPlace: false,
    trash: [at(90)],
    dryRun: true,
    want: {},
  },
};

it.each(Object.entries(cases))('%s', (_name, given) => {
  const { isInPlace = true, isReferenced = false, marks = [], trash = [], dryRun = false } = given;
  const inventory = { artifacts: new Set(isInPlace ? [a] : []), marks, trash };
  const referenced = new Set(isReferenced ? [a] : []);
  const planned = plan(inventory, { referenced, graceSeconds: 7 * day, dryRun, now });
  expect(planned, given.reason).toEqual({ ...nothing, ...given.want });
});

const began = new Date('2026-11-22T12:00:00.000Z');
const state: CollectionState = { installation: 'mine', seconds: 1_000, at: began };
const after = (hours: number) => new Date(began.getTime() + hours * 3_600_000);

it.each([
  { reason: 'an hour has passed', hours: 1, counted: 3_600 },
  { reason: 'the clock has jumped a year ahead', hours: 8_760, counted: 7_200 },
  { reason: 'the process was off for two weeks', hours: 336, counted: 7_200 },
  { reason: 'the clock has jumped back', hours: -24, counted: 0 },
])('counts $counted seconds when $reason', ({ hours, counted }) => {
  const options = { installation: 'mine', stepSeconds: 7_200, now: after(hours) };
  expect(advance(state, options)).toEqual({
    installation: 'mine',
    seconds: 1_000 + counted,
    at: after(hours),
  });
});

it('starts at zero', () => {
  const options = { installation: 'mine', stepSeconds: 7_200, now: began };
  expect(advance(undefined, options).seconds).toBe(0);
});

it('reads what it writes, and nothing else', () => {
  expect(parseState(formatState(state))).toEqual(state);
  for (const text of [undefined, '', '{', '{}', '{"installation":"a","seconds":-1,"at":"x"}']) {
    expect(parseState(text)).toBeUndefined();
  }
});
