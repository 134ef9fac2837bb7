// A modal dialog: the browser keeps the focus in it, and closes it with Escape.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { text } from '../text.ts';

interface DialogProps {
  readonly title: string;
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
  /** For contents with long lines. */
  readonly wide?: boolean;
  /** It stays until something is done: Escape opens it again. */
  readonly isRequired?: boolean;
}

/** Mounted means open. */
export function Dialog({
  title,
  onClose,
  children,
  wide = false,
  isRequired = false,
}: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const own = dialog.current;
    own?.showModal();
    return () => {
      // Escape returns the focus itself, and it may be elsewhere since.
      const isLost =
        document.activeElement === document.body || own?.contains(document.activeElement);
      if (isLost && opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const closed = () => {
    if (isRequired) dialog.current?.showModal();
    else onClose?.();
  };
  return (
    <dialog ref={dialog} class={wide ? 'wide' : ''} aria-labelledby={id} onClose={closed}>
      <header>
        <h2 id={id}>{title}</h2>
        {!isRequired && (
          <button type="button" class="close" aria-label={text('close')} onClick={onClose}>
            ×
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}
