// Code in a file of its own, which is loaded when somebody asks for it: most who open a page only read it.
import { type ReadonlySignal, signal } from '@preact/signals';
import { text } from '../text.ts';

export interface Later<Code> {
  /** Undefined until it is loaded. */
  readonly code: ReadonlySignal<Code | undefined>;
  /** @throws when the file does not load */
  load(): Promise<void>;
}

/** @example later(async () => (await import('./edit.tsx')).Editor) */
export function later<Code>(read: () => Promise<Code>): Later<Code> {
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
