// A modal dialog: the browser keeps the focus in it, and closes it with Escape.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { text } from '../text.ts';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** For contents with long lines. */
  readonly wide?: boolean;
}

/** Mounted means open. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} class={wide ? 'wide' : ''} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="close" aria-label={text('close')} onClick={onClose}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}
