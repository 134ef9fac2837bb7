// The end of a dialog that asks: the button that does it, and the one that does not.

import type { ComponentChildren } from 'preact';
import { text } from '../text.ts';
import { Action } from './action.tsx';

interface ConfirmProps {
  /** Rejects when the request fails. */
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
  /** The label of the button. */
  readonly children: ComponentChildren;
  readonly kind?: 'primary' | 'danger';
  readonly disabled?: boolean;
}

/** @example <Confirm kind="danger" run={remove} onClose={onClose}>Delete</Confirm> */
export function Confirm({
  run,
  onClose,
  children,
  kind = 'primary',
  disabled = false,
}: ConfirmProps) {
  return (
    <footer>
      <Action kind={kind} run={run} disabled={disabled}>
        {children}
      </Action>
      <button type="button" onClick={onClose}>
        {text('cancel')}
      </button>
    </footer>
  );
}
