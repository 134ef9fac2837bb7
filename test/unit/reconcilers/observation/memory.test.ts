// What a process remembers about observations.
import { describe, expect, it } from 'vitest';
import { momentAfter } from '../../../../src/domain/observation/schedule.ts';
import { createObservationMemory } from '../../../../src/reconcilers/observation/memory.ts';
import type { Subject } from '../../../../src/reconcilers/observation/subject.ts';
import { now } from '../../../support/fixtures/builders.ts';
import {
  aReadOnlySubject,
  aSubject,
  hour,
  minute,
} from '../../../support/fixtures/observation/observed-subjects.ts';

const time = now.getTime();
const subject = aSubject();
const moment = momentAfter({ ...subject, everyMs: hour }, time);
const onRequest = aSubject({}, { everyMs: undefined });
const success = (of: Subject, at: number) => ({ subject: of, now: at, hasFailed: false });
const failure = (of: Subject, at: number) => ({ ...success(of, at), hasFailed: true });

describe('the next moment', () => {
  it('is that of the schedule, also when it is asked for later', () => {
    const memory = createObservationMemory();
    expect(memory.next('a', subject, time)).toBe(moment);
    expect(memory.next('a', subject, moment + 5), 'it is due').toBe(moment);
  });

  it('is the one after, once an observation ended', () => {
    const memory = createObservationMemory();
    memory.next('a', subject, time);
    memory.ended('a', success(subject, moment + 5));
    expect(memory.next('a', subject, moment + 6)).toBe(moment + hour);
    memory.ended('a', failure(subject, moment + hour));
    expect(memory.next('a', subject, moment + hour)).toBe(moment + 2 * hour);
  });

  it('is a minute later for what is waited for, and never later than by the schedule', () => {
    const memory = createObservationMemory();
    const missing = aReadOnlySubject({ status: { reason: 'NotFound' } });
    expect(memory.next('a', missing, time), 'after a restart').toBe(time + minute);
    memory.ended('a', { ...success(missing, time + minute), isMissing: true });
    expect(memory.next('a', missing, time + minute)).toBe(time + 2 * minute);
    memory.ended('a', failure(missing, moment - 1));
    expect(memory.next('a', missing, moment - 1)).toBe(moment);
    memory.ended('a', success(missing, moment));
    expect(memory.next('a', missing, moment), 'it is there').toBe(moment + hour);
    const never = aReadOnlySubject({ status: { reason: 'NotFound' } }, { everyMs: undefined });
    memory.ended('b', { ...success(never, time), isMissing: true });
    expect(memory.next('b', never, time)).toBe(Infinity);
  });

  it('follows another interval', () => {
    const memory = createObservationMemory();
    memory.next('a', subject, time);
    const faster = aSubject({}, { everyMs: minute });
    expect(memory.next('a', faster, time)).toBe(momentAfter({ ...faster, everyMs: minute }, time));
    expect(memory.next('a', onRequest, time)).toBe(Infinity);
    expect(memory.next('a', subject, time)).toBe(moment);
  });

  it('is never, for what is observed only on request', () => {
    const memory = createObservationMemory();
    expect(memory.next('a', onRequest, time)).toBe(Infinity);
    memory.ended('a', success(onRequest, time));
    expect(memory.next('a', onRequest, time)).toBe(Infinity);
  });

  it('is now for what is only observed and was not yet, once for each content', () => {
    const memory = createObservationMemory();
    const first = aReadOnlySubject();
    expect(memory.next('a', first, time)).toBe(time);
    memory.ended('a', failure(first, time));
    expect(memory.next('a', first, time + 1)).toBe(time + minute);
    const other = aReadOnlySubject({ status: { content: 'another' } });
    expect(memory.next('a', other, time + 2)).toBe(time + 2);
  });

  it('is not forgotten by the first observation, which changes the status', () => {
    const memory = createObservationMemory();
    const first = aReadOnlySubject();
    memory.ended('a', { ...success(first, time), isMissing: true });
    const missing = aReadOnlySubject({ status: { reason: 'NotFound' } });
    expect(memory.next('a', missing, time + 1)).toBe(time + minute);
    memory.ended('a', success(missing, time + minute));
    const ready = aReadOnlySubject({ status: { state: 'ready', reason: 'Found' } });
    expect(memory.next('a', ready, time + minute + 1)).toBe(moment);
  });

  it('is now even for what is observed only on request, when it is only observed', () => {
    const memory = createObservationMemory();
    const first = aReadOnlySubject({}, { everyMs: undefined });
    expect(memory.next('a', first, time)).toBe(time);
    memory.ended('a', success(first, time));
    expect(memory.next('a', first, time)).toBe(Infinity);
  });
});

describe('the count of failures', () => {
  it('grows until a success', () => {
    const memory = createObservationMemory();
    const counts = [failure, failure, success, failure].map((ended) => {
      memory.ended('a', ended(subject, time));
      return memory.last('a')?.failures;
    });
    expect(counts).toEqual([1, 2, 0, 1]);
  });

  it('stays with another interval, and ends when the resource is forgotten', () => {
    const memory = createObservationMemory();
    memory.ended('a', failure(subject, time));
    const faster = aSubject({}, { everyMs: minute });
    memory.ended('a', failure(faster, time));
    expect(memory.last('a')).toMatchObject({ failures: 2, observedAt: undefined });
    memory.ended('b', failure(subject, time));
    expect(memory.last('b'), 'of each resource').toMatchObject({ failures: 1 });
    memory.forget('a');
    expect(memory.last('a')).toBeUndefined();
  });
});

it('has the last success of what is observed on a schedule', () => {
  const memory = createObservationMemory();
  memory.next('a', subject, time);
  memory.next('b', onRequest, time);
  memory.ended('c', success(subject, time + 5));
  memory.ended('c', failure(subject, time + 6));
  expect(Object.fromEntries(memory.ages())).toEqual({ a: time, c: time + 5 });
  memory.forget('c');
  expect(Object.fromEntries(memory.ages())).toEqual({ a: time });
});
