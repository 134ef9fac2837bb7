// Deletes a provider, with everything that belongs to it. It cannot be undone, so its name is typed.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { NameInput } from '../../components/name-input.tsx';
import { Loading } from '../../components/state.tsx';
import { isSynced, resources, resourcesError } from '../../live/resources.ts';
import { goTo, hrefTo } from '../../router/route.ts';
import { notify } from '../../shell/notices.tsx';
import { counted, text } from './text.ts';

export function DeleteProviderDialog({
  provider,
  onClose,
}: {
  provider: string;
  onClose: () => void;
}) {
  const id = useId();
  const cascades = useSignal(false);
  const typed = useSignal('');
  const count = resources.value.filter((each) => each.provider === provider).length;
  const isKnown = isSynced.value;
  const mayGo = typed.value === provider && (count === 0 || cascades.value);
  const remove = async () => {
    const query = cascades.value ? { cascade: true } : {};
    const deleted = await call('deleteProvider', { path: { provider }, query });
    notify(
      deleted.resources_deleted === 0
        ? text('providers.deleted', { provider })
        : counted('providers.deleting', deleted.resources_deleted, { provider }),
    );
    onClose();
    goTo(hrefTo('providers'));
  };
  return (
    <Dialog title={text('providers.delete-title', { provider })} onClose={onClose}>
      <p>{text('providers.delete-effect')}</p>
      <ErrorBox error={resourcesError.value} />
      {!isKnown && resourcesError.value === undefined && <Loading />}
      {isKnown && (
        <p>
          <a href={hrefTo('resources', [], { filter: provider })}>
            {counted('providers.has-resources', count)}
          </a>
        </p>
      )}
      {count > 0 && (
        <label class="rollout-check">
          <input
            type="checkbox"
            checked={cascades.value}
            onChange={(event) => {
              cascades.value = event.currentTarget.checked;
            }}
          />
          {counted('providers.cascade', count)}
        </label>
      )}
      <label class="field" for={id}>
        <span>{text('providers.type-name', { provider })}</span>
      </label>
      <NameInput
        id={id}
        value={typed.value}
        onInput={(name) => {
          typed.value = name;
        }}
      />
      <Confirm kind="danger" run={remove} disabled={!mayGo} onClose={onClose}>
        {text('providers.delete-now', { provider })}
      </Confirm>
    </Dialog>
  );
}
