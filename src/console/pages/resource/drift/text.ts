// The texts about drift, which are loaded with it, and those of the page.
import { textReader } from '../../../text.ts';
import page from '../en.json' with { type: 'json' };
import own from './en.json' with { type: 'json' };

export const { text } = textReader({ ...page, ...own });
