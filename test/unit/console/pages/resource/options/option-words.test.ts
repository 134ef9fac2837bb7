import { describe, expect, it } from 'vitest';
import { localTime } from '../../../../../../src/console/components/text/local-time.ts';
import { optionSentence } from '../../../../../../src/console/pages/resource/options/option-words.ts';

const time = '2026-02-01T08:05:00.000Z';

describe('a change of an option', () => {
  it.each([
    ['protected', true, 'It was protected.'],
    ['protected', false, 'The protection was lifted.'],
    ['paused', true, 'It was paused.'],
    ['paused', false, 'It was resumed.'],
    ['deletion_policy', 'orphan', 'A deletion leaves what the provider created.'],
    ['deletion_policy', 'delete', 'A deletion deletes what the provider created.'],
    ['management', 'observed', 'It is only observed: its provider changes nothing.'],
    ['management', 'managed', 'Its provider manages it.'],
    ['observe.on_drift', 'correct', 'Differences from the object are corrected.'],
    ['observe.on_drift', 'report', 'Differences from the object are only reported.'],
    ['expires_at', null, 'It does not expire.'],
    ['expires_at', time, `It expires at ${localTime(time)}.`],
  ])('of %s to %j is a sentence', (path, after, sentence) => {
    expect(optionSentence({ path, kind: 'changed', after })).toBe(sentence);
  });

  it.each([
    ['protected', 'The protection was lifted.'],
    ['expires_at', 'It does not expire.'],
  ])('of %s back to the default is a sentence', (path, sentence) => {
    expect(optionSentence({ path, kind: 'removed', after: undefined })).toBe(sentence);
  });

  it.each([
    ['config.protected', true],
    ['deletion_policy', 'archive'],
    ['constructor', null],
  ])('of %s to %j is shown as a value', (path, after) => {
    expect(optionSentence({ path, kind: 'changed', after })).toBeUndefined();
  });
});
