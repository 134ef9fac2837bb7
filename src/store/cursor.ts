// List cursors: the position where the last page ended. Opaque to clients, and validated on return.
import { InvalidRequest } from '../domain/errors.ts';

/** The position in a list of the API server, whose pages end elsewhere than those of Fairlead. */
export interface PagePosition {
  /** Reads the page of the API server that has the next object; absent for its first page. */
  readonly token: string | undefined;
  /** The name of the last object that was shown. */
  readonly after: string;
}

const separator = '\u0000';
const objectName = /^[a-z0-9][a-z0-9.-]{0,252}$/;

export function cursorOf({ token = '', after }: PagePosition): string {
  return Buffer.from(`${after}${separator}${token}`).toString('base64url');
}

/** @throws InvalidRequest when the text is not a cursor of Fairlead */
export function readCursor(text: string): PagePosition {
  const [after = '', token, ...more] = Buffer.from(text, 'base64url').toString().split(separator);
  if (token === undefined || more.length > 0 || !objectName.test(after)) throw invalidCursor();
  const position = { token: token === '' ? undefined : token, after };
  if (cursorOf(position) !== text) throw invalidCursor();
  return position;
}

/** Also for a token that the API server does not accept. */
export function invalidCursor(options: { readonly cause?: unknown } = {}): InvalidRequest {
  const msg = 'Input should be a cursor from a Link header';
  const problem = { loc: ['query', 'cursor'], msg, type: 'value_error' };
  return new InvalidRequest([problem], options);
}
