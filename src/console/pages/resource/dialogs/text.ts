// The texts of the dialogs, which are loaded with the first one of them, and those of the page.
import { textReader } from '../../../text.ts';
import page from '../en.json' with { type: 'json' };
import own from './en.json' with { type: 'json' };

export const { text, counted } = textReader({ ...page, ...own });
