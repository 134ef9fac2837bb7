// List cursors: the position where the last page ended. Opaque to clients, and validated on return.
import { InvalidRequest } from '../domain/errors.ts';

export function cursorOf(sortKey: string): string {
  return Buffer.from(sortKey).toString('base64url');
}

/**
 * @param parts number of parts of the sort key, which U+0000 separates
 * @throws InvalidRequest when the text is not a cursor of Fairlead
 */
export function readCursor(text: string, parts = 3): string {
  const sortKey = Buffer.from(text, 'base64url').toString();
  if (text !== '' && cursorOf(sortKey) === text && sortKey.split('\u0000').length === parts)
    return sortKey;
  throw new InvalidRequest([
    {
      loc: ['query', 'cursor'],
      msg: 'Input should be a cursor from a Link header',
      type: 'value_error',
    },
  ]);
}
