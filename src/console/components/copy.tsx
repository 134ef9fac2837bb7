// Copies text to the clipboard, and confirms it.
import { useSignal } from '@preact/signals';
import { notify } from '../shell/notices.tsx';
import { text } from '../text.ts';

const shownMs = 2_000;

/** A button that is only called `Copy` does not compile: it is heard without what stands beside it. */
type CopyProps = {
  /** The text to copy, or how to get it. */
  readonly value: string | (() => Promise<string>);
} & (
  | { /** The whole name of the button: `Copy YAML`. */ readonly label: string }
  | { /** What stands beside a button `Copy`. */ readonly what: string }
);

export function CopyButton({ value, ...names }: CopyProps) {
  const name = 'label' in names ? names.label : text('copy.what', { what: names.what });
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
    <button
      type="button"
      class="small"
      aria-label={isCopied.value ? text('copy.done') : name}
      onClick={() => void copy()}
    >
      <span aria-live="polite">
        {isCopied.value ? text('copy.done') : 'label' in names ? name : text('copy')}
      </span>
    </button>
  );
}
