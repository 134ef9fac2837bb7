// The parts that are loaded on demand, in one file: more would cut what the pages share into more files, and cost each of them.
import { type ReadonlySignal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { text } from '../../text.ts';

/** Dialogs, the editor, drift and events. */
export const dialogs = laterCode(() => import('./dialogs/dialogs.ts'));

/** Loads them for a part of the page that is shown without a press. @returns what is loaded, and why it does not load */
export function useDialogs(isShown: boolean) {
  const error = useSignal<unknown>(undefined);
  useEffect(() => {
    if (!isShown) return;
    dialogs.load().catch((thrown: unknown) => {
      error.value = thrown;
    });
  }, [isShown]);
  return { code: dialogs.code.value, error: error.value };
}

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
