// Copies text to the clipboard, and says so.
import { useSignal } from '@preact/signals';
import { notify } from '../shell/notices.tsx';
import { text } from '../text.ts';

const shownMs = 2_000;

interface CopyProps {
  /** What is copied, or how to get it. */
  readonly value: string | (() => Promise<string>);
  /** What is copied, for the name of the button: `Copy YAML`. */
  readonly label: string;
}

export function CopyButton({ value, label }: CopyProps) {
  const isCopied = useSignal(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof value === 'string' ? value : await value());
      isCopied.value = true;
      setTimeout(() => {
        isCopied.value = false;
      }, shownMs);
    } catch {
      notify(text('copy.failed'), 'bad');
    }
  };
  return (
    <button type="button" class="small" onClick={() => void copy()}>
      <span aria-live="polite">{isCopied.value ? text('copy.done') : label}</span>
    </button>
  );
}
