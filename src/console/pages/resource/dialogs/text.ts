// The texts of the dialogs, which are loaded with the first one of them.
import { textReader } from '../../../text.ts';
import en from './en.json' with { type: 'json' };

export const { text, counted } = textReader(en);
