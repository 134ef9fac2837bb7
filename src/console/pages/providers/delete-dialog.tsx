// Deletes a provider, perhaps with its resources. Its name has to be typed, as it cannot be undone.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get } from '../../api/client.ts';
import { Action } from '../../components/action.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { followResources, isSynced, resources } from '../../live/resources.ts';
import { goTo, hrefTo } from '../../router/route.ts';
import { notify } from '../../shell/notices.tsx';
import { counted, text } from '../../text.ts';

interface DeleteDialogProps {
  readonly provider: string;
  readonly onClose: () => void;
}

export function DeleteDialog({ provider, onClose }: DeleteDialogProps) {
  const typed = useSignal('');
  const cascade = useSignal(false);
  useEffect(followResources, []);
  const count = resources.value.filter((each) => each.provider === provider).length;
  const remove = async () => {
    await get('deleteProvider', { path: { provider }, query: { cascade: cascade.value } });
    notify(text('providers.deleted', { provider }));
    goTo(hrefTo('providers'));
  };
  return (
    <Dialog title={text('providers.delete-title', { provider })} onClose={onClose}>
      <p>{text('providers.delete-effect')}</p>
      {isSynced.value && <p>{counted('providers.has-resources', count)}</p>}
      {count > 0 && (
        <p>
          <label>
            <input
              type="checkbox"
              checked={cascade.value}
              onChange={(event) => {
                cascade.value = event.currentTarget.checked;
              }}
            />{' '}
            {text('providers.cascade')}
          </label>
        </p>
      )}
      <label class="field">
        <span>{text('providers.type-name', { provider })}</span>
        <input
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
      </label>
      <footer>
        <Action kind="danger" run={remove} disabled={typed.value !== provider}>
          {text('providers.delete-now')}
        </Action>
        <button type="button" onClick={onClose}>
          {text('cancel')}
        </button>
      </footer>
    </Dialog>
  );
}
