// The editor, which has to be loaded before an edit begins.
import { later } from '../../components/later.ts';

export const editor = later(async () => (await import('./edit/editor.tsx')).Editor);
