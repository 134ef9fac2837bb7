import { describe, expect, it } from 'vitest';
import { displayName, shownName, storedName } from '../../../src/domain/actor.ts';

describe('a display name', () => {
  const cases: Record<string, { text: string; want: string | undefined; reason: string }> = {
    'of words': { text: 'Ada  Lovelace ', want: 'Ada Lovelace', reason: 'It is one line.' },
    'with controls': {
      text: 'Ada\u001b[31m\r\nApplied by: bob\u0000',
      want: 'Ada [31m Applied by: bob',
      reason: 'It must not write other lines of a page or a log.',
    },
    'that runs backwards': {
      text: '\u202Eada\u2066',
      want: 'ada',
      reason: 'It must not show the text around it in another order.',
    },
    'with joiners': {
      text: 'می\u200cخواهم',
      want: 'می\u200cخواهم',
      reason: 'Joiners are part of names in Persian.',
    },
    'of nothing': { text: ' \u200e\t', want: undefined, reason: 'The next claim is shown.' },
    'that is too long': { text: 'a'.repeat(257), want: undefined, reason: 'It is bounded.' },
    'that is long': { text: 'a'.repeat(256), want: 'a'.repeat(256), reason: 'It is a name.' },
    'with half a character': { text: 'a\ud800', want: undefined, reason: 'It cannot be stored.' },
  };
  it.each(Object.entries(cases))('%s', (_name, { text, want, reason }) => {
    expect(displayName(text), reason).toBe(want);
  });
});

describe('a stored name', () => {
  const stored = storedName({ subject: 's-1', name: 'Ada Lovelace' }) ?? '';

  it('is shown beside its subject', () => {
    expect(stored).toMatch(/^[0-9a-f]{16} Ada Lovelace$/);
    expect(shownName('s-1', stored)).toBe('Ada Lovelace');
  });

  it.each([undefined, 's-1'])('does not exist for the name %s', (name) => {
    expect(storedName({ subject: 's-1', name })).toBeUndefined();
  });

  const hidden: Record<string, [string | null | undefined, string | undefined]> = {
    'without a stored one': ['s-1', undefined],
    'beside a subject that kubectl wrote': ['s-2', stored],
    'that kubectl replaced': ['s-1', stored.replace('Ada', 'Bob')],
    'without a hash': ['s-1', 'Ada Lovelace'],
    'of a hash only': ['s-1', stored.split(' ')[0]],
    'without a subject': [undefined, stored],
    'beside null': [null, stored],
  };
  it.each(Object.entries(hidden))('%s is not shown', (_name, [subject, text]) => {
    expect(shownName(subject, text)).toBeUndefined();
  });
});
