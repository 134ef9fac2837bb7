import { afterEach, expect, it, vi } from 'vitest';
import { jsonLines } from '../../../../src/sdk/logs/log.ts';

afterEach(() => vi.restoreAllMocks());

function lineOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  jsonLines.info('Made a cart', fields);
  expect(written.join('')).toMatch(/^[^\n]*\n$/);
  return JSON.parse(written.join('')) as Record<string, unknown>;
}

const circular: Record<string, unknown> = {};
circular['self'] = circular;

const cases: Record<string, { fields: Record<string, unknown>; says: Record<string, unknown> }> = {
  'the fields beside the message': { fields: { cart: 7 }, says: { cart: 7 } },
  'errors with their stack': {
    fields: { error: new Error('lost') },
    says: { error: expect.stringMatching(/^Error: lost\n {4}at /) },
  },
  'the causes of errors': {
    fields: { error: new Error('lost', { cause: new Error('refused') }) },
    says: {
      error: expect.stringMatching(
        /^Error: lost\n {4}at [\s\S]*\ncaused by Error: refused\n {4}at /,
      ),
    },
  },
  'its own fields, over fields of a handler with the same names': {
    fields: { message: 'other', level: 'other', cart: 7 },
    says: { message: 'Made a cart', level: 'info', cart: 7 },
  },
  'numbers that JSON cannot represent': { fields: { size: 10n }, says: { size: '10' } },
  'circular values': {
    fields: { circular, cart: 'mine' },
    says: { circular: expect.stringContaining('Circular'), cart: 'mine' },
  },
};

it.each(Object.entries(cases))('writes %s', (_name, { fields, says }) => {
  const line = lineOf(fields);
  expect(line).toMatchObject({ level: 'info', message: 'Made a cart', ...says });
  expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
});
