// A button for a request: it is disabled while the request runs, and its error is shown beside it.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { ErrorBox } from './error-box.tsx';

interface ActionProps {
  /** Rejects when the request fails. */
  readonly run: () => Promise<void>;
  readonly children: ComponentChildren;
  readonly kind?: 'primary' | 'danger' | 'plain' | 'small';
  readonly disabled?: boolean;
}

/** @example <Action kind="danger" run={() => remove(id)}>Delete</Action> */
export function Action({ run, children, kind = 'plain', disabled = false }: ActionProps) {
  const isRunning = useSignal(false);
  const error = useSignal<unknown>(undefined);
  const start = async () => {
    isRunning.value = true;
    error.value = undefined;
    try {
      await run();
    } catch (thrown) {
      error.value = thrown;
    } finally {
      isRunning.value = false;
    }
  };
  return (
    <span class="action">
      <button
        type="button"
        class={kind}
        disabled={disabled || isRunning.value}
        aria-busy={isRunning.value}
        onClick={() => void start()}
      >
        {children}
      </button>
      <ErrorBox error={error.value} />
    </span>
  );
}
