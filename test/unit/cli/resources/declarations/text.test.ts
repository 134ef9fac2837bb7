// What is no text in UTF-8 is refused, with the place.
import { expect, it } from 'vitest';
import { textOfBytes } from '../../../../../src/cli/resources/declarations/text.ts';

it.each<readonly [string, Buffer, string]>([
  ['Latin-1', Buffer.from('a: caf\u00e9', 'latin1'), 'is not UTF-8 from byte 6 on'],
  ['a character that is cut off', Buffer.from('\u{1F600}').subarray(0, 3), 'from byte 0 on'],
  ['bytes after a replacement character', Buffer.from([0xef, 0xbf, 0xbd, 0xff]), 'from byte 3 on'],
  ['UTF-16 of PowerShell', Buffer.from('\ufeffa: b', 'utf16le'), 'is UTF-16; save it as UTF-8'],
  ['UTF-16 in the other order', Buffer.from([0xfe, 0xff, 0, 0x61]), 'is UTF-16; save it as UTF-8'],
])('refuses %s', (_, bytes, message) => {
  expect(() => textOfBytes(bytes)).toThrow(message);
});

it('reads every text, without a byte order mark', () => {
  expect(textOfBytes(Buffer.from('\ufeffa: caf\u00e9 \ufffd \u{1F600}'))).toBe(
    'a: caf\u00e9 \ufffd \u{1F600}',
  );
});
