// Cursors: what Fairlead wrote comes back, and anything else is refused.
import { expect, it } from 'vitest';
import { InvalidRequest } from '../../../src/domain/errors.ts';
import { cursorOf, readCursor } from '../../../src/store/listing.ts';

it.each([
  { token: undefined, after: 'box-crate-a-0123456789abcdef' },
  { token: 'eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ', after: 'evt-0123' },
])('is read as it was written: %j', (position) => {
  expect(readCursor(cursorOf(position))).toEqual(position);
});

const encoded = (text: string) => Buffer.from(text).toString('base64url');

it.each([
  ['nothing', ''],
  ['text that is not base64url', '%%%'],
  ['padding', `${encoded('a\u0000')}=`],
  ['a name alone', encoded('a')],
  ['parts of a name', encoded('box\u0000crate\u0000a')],
  ['a name that no object has', encoded('../a\u0000token')],
  ['no name', encoded('\u0000token')],
])('is refused: %s', (_, text) => {
  expect(() => readCursor(text)).toThrow(InvalidRequest);
});
