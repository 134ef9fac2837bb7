// Since when a resource is paused, and by whom.
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import { pausedInWords, pauseMark } from '../../../../src/store/resources/pause.ts';
import { aResource, now } from '../../../support/fixtures/builders.ts';

const ada = { subject: 's-1', name: 'Ada' };
const nameless = { subject: 's-1', name: undefined };
const since = now.toISOString();
const pausedBy = (text: string): Resource =>
  aResource({ spec: { paused: true }, metadata: { annotations: { [annotation.paused]: text } } });
const { spec: running } = aResource();
const { spec: paused } = aResource({ spec: { paused: true } });

describe('an apply', () => {
  it('that pauses says since when and by whom', () => {
    for (const existing of [undefined, aResource()]) {
      const mark = pauseMark(existing, { spec: paused, now, by: ada });
      const { metadata } = pausedBy(String(mark[annotation.paused]));
      expect(pausedInWords({ metadata })).toBe(`Paused since ${since} by Ada`);
    }
  });

  it('of what is paused leaves the mark as it is: that of kubectl has none', () => {
    const existing = pausedBy('any');
    expect(pauseMark(existing, { spec: paused, now, by: ada })).toEqual({});
  });

  it('that ends a pause removes the mark', () => {
    const existing = pausedBy('any');
    const mark = pauseMark(existing, { spec: running, now, by: ada });
    expect(mark).toEqual({ [annotation.paused]: null });
  });

  it('of one without a name shows its subject', () => {
    const mark = pauseMark(undefined, { spec: paused, now, by: nameless });
    const { metadata } = pausedBy(String(mark[annotation.paused]));
    expect(pausedInWords({ metadata })).toBe(`Paused since ${since} by s-1`);
  });
});

const words: Readonly<Record<string, readonly [text: string | undefined, want: string]>> = {
  'a pause with kubectl': [undefined, 'Paused: spec.paused is true'],
  'what is no JSON': ['since today', 'Paused: spec.paused is true'],
  'a list': ['[]', 'Paused: spec.paused is true'],
  'a time that is none': ['{"since":"today","by":"eve"}', 'Paused: spec.paused is true'],
  'a time in another form': [
    '{"since":"2026-01-01T01:00:00+01:00"}',
    'Paused since 2026-01-01T00:00:00.000Z',
  ],
  'a subject that is none': [`{"since":"${since}","by":{"a":1}}`, `Paused since ${since}`],
  'a subject without end': [
    `{"since":"${since}","by":"${'x'.repeat(500)}"}`,
    `Paused since ${since} by ${'x'.repeat(256)}`,
  ],
};

it.each(Object.entries(words))('the words are short and true of %s', (_name, [text, want]) => {
  const resource = text === undefined ? aResource({ spec: { paused: true } }) : pausedBy(text);
  expect(pausedInWords(resource)).toBe(want);
});
