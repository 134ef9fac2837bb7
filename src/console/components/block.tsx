// A text of many lines in a box that scrolls, with a button that copies it.
import { CopyButton } from './copy.tsx';

interface BlockProps {
  readonly value: string;
  /** The name of the block, for screen readers. */
  readonly label: string;
  /** The label of the button, such as `Copy YAML`. */
  readonly copy: string;
}

/** The box takes the focus, as it could not be scrolled with the keyboard otherwise. */
export function Block({ value, label, copy }: BlockProps) {
  return (
    <>
      <pre class="block" tabIndex={0} role="region" aria-label={label}>
        {value}
      </pre>
      <p class="actions">
        <CopyButton value={value} label={copy} />
      </p>
    </>
  );
}
