// What is loaded when somebody asks for it, in one file: more would cut what the pages share into more files, and cost each of them.
import { later } from '../../components/later.ts';

/** Dialogs, the editor and drift. */
export const dialogs = later(() => import('./dialogs/dialogs.ts'));
