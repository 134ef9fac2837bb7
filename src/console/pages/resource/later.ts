// The parts that are loaded on demand, in one file: more would cut what the pages share into more files, and cost each of them.
import { type ReadonlySignal, signal } from '@preact/signals';
import { text } from '../../text.ts';

/** Dialogs, the editor and drift. */
export const dialogs = laterCode(() => import('./dialogs/dialogs.ts'));

interface LaterCode<Code> {
  /** Undefined until it is loaded. */
  readonly code: ReadonlySignal<Code | undefined>;
  /** @throws when the file does not load */
  load(): Promise<void>;
}

/** @example later(async () => (await import('./edit.tsx')).Editor) */
function laterCode<Code>(read: () => Promise<Code>): LaterCode<Code> {
  const code = signal<Code | undefined>(undefined);
  return {
    code,
    async load() {
      try {
        code.value ??= await read();
      } catch {
        throw new Error(text('error.reload'));
      }
    },
  };
}
