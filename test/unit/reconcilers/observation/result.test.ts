// What the status says after an observation. Only a change of the result is written.
import { describe, expect, it } from 'vitest';
import type { ResourceStatus } from '../../../../src/crds/resource.ts';
import type { Observation } from '../../../../src/events/protocol.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import {
  failedResult,
  importedAppearance,
  managedResult,
} from '../../../../src/reconcilers/observation/result.ts';
import type { Subject } from '../../../../src/reconcilers/observation/subject.ts';
import { now, secondsLater } from '../../../support/fixtures/builders.ts';
import {
  aReadOnlySubject,
  aSubject,
  at,
  changed,
  found,
  gone,
  hour,
  notThere,
  type ObservedShape,
} from '../../../support/fixtures/observation/observed-subjects.ts';

const config = { size: 2, name: 'orders' };
const ready = (status: Partial<ResourceStatus> = {}, spec: ObservedShape['spec'] = {}) =>
  aSubject({
    spec: { config, ...spec },
    status: { appliedSecrets: [], updatedAt: at(-hour), ...status },
  });

async function resultOf(subject: Subject, answer: Observation, request?: string) {
  const { resource, type } = subject;
  const sent = { resource, type, config, schemaVersion: 1 };
  return await managedResult(subject, { sent, answer, request, released: undefined, now });
}

/** The status of a subject after an answer. */
async function observedAs(
  subject: Subject,
  answer: Observation,
  request?: string,
): Promise<Subject> {
  const { next } = await resultOf(subject, answer, request);
  expect(next, 'a change is written').toBeDefined();
  return { ...subject, resource: { ...subject.resource, status: next as ResourceStatus } };
}

const same = found(config);
const other = found({ ...config, size: 3 });
const shownOf = ({ resource: { status } }: Subject) => ({
  ...{ state: status?.state, reason: status?.reason, drift: status?.drift },
  conditions: status?.conditions?.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`),
});

describe('nothing is written', () => {
  it.each<[string, Subject, Observation, string]>([
    ['for what is in sync', ready(), same, 'in_sync'],
    ['for what is in sync after an import', ready({ reason: 'Imported' }), same, 'in_sync'],
    ['for what was left out', ready(), found({}), 'in_sync'],
    ['for more than was declared', ready(), found({ ...config, zone: 'eu' }), 'in_sync'],
  ])('%s', async (_name, subject, answer, outcome) => {
    const result = await resultOf(subject, answer);
    expect(result).toEqual({ next: undefined, outcome, news: undefined });
  });

  it('for drift that is known', async () => {
    const drifted = await observedAs(ready(), other);
    expect(await resultOf(drifted, other)).toMatchObject({ next: undefined, outcome: 'changed' });
    const lost = await observedAs(ready(), notThere);
    expect(await resultOf(lost, notThere)).toMatchObject({ next: undefined, outcome: 'gone' });
  });
});

describe('a change is written', () => {
  it('when it differs: the state stays', async () => {
    const drifted = await observedAs(ready(), other);
    expect(shownOf(drifted)).toMatchObject({
      ...{ state: 'ready', reason: 'Drifted' },
      drift: { since: now.toISOString(), kind: 'Changed', total: 1, compared: 2, unknown: 0 },
      conditions: ['Ready=True Drifted', 'Drifted=True Drifted'],
    });
    expect(drifted.resource.status).toMatchObject({
      ...{ updatedAt: at(-hour), outputs: { url: 'x' }, appliedConfig: config },
      event: { id: 'evt-1' },
    });
  });

  it('when it is gone: it is not ready', async () => {
    expect(shownOf(await observedAs(ready(), notThere))).toMatchObject({
      ...{ state: 'ready', reason: 'Gone', drift: gone },
      conditions: ['Ready=False Gone', 'Drifted=True Gone'],
    });
  });

  it('when it is as declared again', async () => {
    const again = await observedAs(await observedAs(ready(), notThere), same);
    expect(shownOf(again)).toEqual({
      ...{ state: 'ready', reason: 'Processed', drift: undefined },
      conditions: ['Ready=True Processed'],
    });
    const { reason } =
      (await observedAs(await observedAs(importedOne(), other), same)).resource.status ?? {};
    expect(reason, 'as after the last event').toBe('Imported');
  });

  it('when it differs in another way, and tells nobody', async () => {
    const drifted = await observedAs(ready(), other);
    const { next, news } = await resultOf(drifted, found({ ...config, size: 4 }));
    expect(next?.drift).toMatchObject({ since: now.toISOString(), changes: [{ actual: '4' }] });
    expect(news).toBeUndefined();
  });

  it('and told once, with what differs', async () => {
    const { news, outcome } = await resultOf(ready(), other);
    const message = '1 of 2 compared values differs from the config: /size';
    expect({ news, outcome }).toEqual({ news: { reason: 'Drifted', message }, outcome: 'changed' });
    const { news: back } = await resultOf(await observedAs(ready(), other), same);
    expect(back).toMatchObject({ message: 'Observed as declared: 2 values compared' });
  });

  it('when three corrections did not last', async () => {
    const corrections = { count: 3, at: at(-hour), generation: 1 };
    const subject = ready({ corrections }, { observe: { onDrift: 'Correct' } });
    const looping = await observedAs(subject, other);
    expect(shownOf(looping)).toMatchObject({ state: 'ready', reason: 'CorrectionLoop' });
    expect((await resultOf(looping, other)).next).toBeUndefined();
    const reported = await observedAs(ready({ corrections }), other);
    expect(shownOf(reported), 'nothing is corrected').toMatchObject({ reason: 'Drifted' });
  });
});

function importedOne(): Subject {
  const { event } = aSubject().resource.status ?? {};
  return ready({ reason: 'Imported', ...(event && { event: { ...event, type: 'OBSERVE' } }) });
}

describe('the message', () => {
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`f${index}`, 1]));
  it.each<[string, JsonObject, JsonObject, string]>([
    ['names one value', { a: 1 }, { a: 2 }, '1 of 1 compared values differs from the config: /a'],
    [
      'names two',
      { a: 1, b: 1 },
      { a: 2, b: 2 },
      '2 of 2 compared values differ from the config: /a, /b',
    ],
    [
      'names five, and counts the others',
      many,
      Object.fromEntries(Object.keys(many).map((name) => [name, 2])),
      '7 of 7 compared values differ from the config: /f0, /f1, /f2, /f3, /f4 and 2 more',
    ],
  ])('%s', async (_name, declared, actual, message) => {
    const subject = ready();
    const { resource, type } = subject;
    const sent = { resource, type, config: declared, schemaVersion: 1 };
    const context = { sent, answer: found(actual), request: undefined, released: undefined, now };
    expect((await managedResult(subject, context)).news?.message).toBe(message);
  });

  it('of an import says what was compared, and what could not be', () => {
    const comparison = { compared: 1, unknown: 2 };
    expect(importedAppearance({ drift: undefined, comparison })).toEqual({
      reason: 'Imported',
      message: 'Observed as declared: 1 value compared; 2 could not be observed',
    });
    expect(importedAppearance({ drift: changed, comparison })).toMatchObject({ reason: 'Drifted' });
  });
});

describe('a request', () => {
  it('is answered with what was compared, and changes nothing else', async () => {
    const subject = ready();
    const { next, news } = await resultOf(subject, found({ size: 2 }), 'r-1');
    const { status } = subject.resource;
    expect(next).toMatchObject({ state: status?.state, reason: status?.reason });
    expect(next?.observation).toEqual({
      ...{ request: 'r-1', at: now.toISOString(), exists: true, compared: 1, unknown: 1 },
    });
    expect([next?.drift, news]).toEqual([undefined, undefined]);
  });

  it('is answered with drift in the same write', async () => {
    const { next } = await resultOf(ready(), notThere, 'r-2');
    expect(next).toMatchObject({
      observation: { request: 'r-2', exists: false, compared: 0, unknown: 0 },
      drift: { kind: 'Gone' },
    });
  });

  it('keeps the message of what is known', async () => {
    const drifted = await observedAs(ready(), other);
    const answered = await observedAs(drifted, other, 'r-3');
    expect(shownOf(answered)).toEqual(shownOf(drifted));
  });
});

describe('what could not be observed', () => {
  const fails = (subject: Subject, failures: number, request?: string) =>
    failedResult(subject, { error: 'no answer', failures, request, now });
  const failing = (subject: Subject) => ({
    ...subject,
    resource: { ...subject.resource, status: fails(subject, 3) as ResourceStatus },
  });

  it('is said after three failures, once, beside what is known', async () => {
    const drifted = await observedAs(ready(), other);
    expect([fails(drifted, 1), fails(drifted, 2)]).toEqual([undefined, undefined]);
    const subject = failing(drifted);
    expect(shownOf(subject)).toMatchObject({
      ...{ state: 'ready', reason: 'Drifted', drift: { kind: 'Changed' } },
      conditions: ['Ready=True Drifted', 'Drifted=True Drifted', 'Observed=False ObserveFailed'],
    });
    expect([fails(subject, 4), fails(subject, 400)]).toEqual([undefined, undefined]);
  });

  it('is said at once to who requested it', () => {
    const next = fails(ready(), 1, 'r-1');
    expect(next?.observation).toEqual({
      ...{ request: 'r-1', at: now.toISOString(), compared: 0, unknown: 0, error: 'no answer' },
    });
    expect(next).toMatchObject({ state: 'ready', reason: 'Processed' });
  });

  it('ends with the first answer, in sync or not', async () => {
    const subject = failing(ready());
    const { next } = await resultOf(subject, same);
    expect(next?.conditions?.map(({ type }) => type)).toEqual(['Ready']);
    expect(next?.reason).toBe('Processed');
    const lost = await resultOf(subject, notThere);
    expect(lost.next?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Drifted']);
  });

  it('leaves what is only observed pending, with the cause', () => {
    const subject = aReadOnlySubject();
    expect(fails(subject, 2)).toBeUndefined();
    const next = failedResult(subject, {
      ...{ error: 'no answer', failures: 3, request: undefined, now: secondsLater(5) },
    });
    expect(next).toMatchObject({ state: 'pending', reason: 'Observing' });
    expect(next?.conditions?.find(({ type }) => type === 'Ready')?.message).toBe(
      'Not observed: no answer',
    );
  });

  it('writes nothing for a resource without a status', () => {
    const subject = ready();
    const { status: _status, ...resource } = subject.resource;
    expect(fails({ ...subject, resource }, 9, 'r-1')).toBeUndefined();
  });
});
