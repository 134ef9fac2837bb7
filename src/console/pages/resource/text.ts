// The texts of this page, in en.json beside it, and those that all pages share.
import { textReader } from '../../text.ts';
import en from './en.json' with { type: 'json' };

export const { text, counted } = textReader(en);

export function isTextKey(key: string): key is keyof typeof en {
  return Object.hasOwn(en, key);
}
