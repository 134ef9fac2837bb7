// The texts of this page, in en.json beside it, and those that all pages share.
import { textReader } from '../../text.ts';
import en from './en.json' with { type: 'json' };

export const { text, counted } = textReader(en);
