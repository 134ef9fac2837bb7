// Removes a setting, after a check whether the deployed version can do without it.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { plainText } from '../../../client/plain-text.ts';
import { call } from '../../api/client.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading } from '../../components/state.tsx';
import { notify } from '../../shell/notices.tsx';
import type { SettingDialogProps } from './setting.ts';
import { text } from './text.ts';

export function UnsetDialog({ provider, setting, onClose }: SettingDialogProps) {
  const { name, schema } = setting;
  const isPossible = useSignal(false);
  const error = useSignal<unknown>(undefined);
  const path = { provider, setting: name };
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    call('deleteProviderSetting', { path, query: { dry_run: true }, signal }).then(
      () => {
        isPossible.value = true;
      },
      (thrown: unknown) => {
        if (!signal.aborted) error.value = thrown;
      },
    );
    return () => controller.abort();
  }, [provider, name]);
  const unset = async () => {
    await call('deleteProviderSetting', { path });
    notify(text('providers.setting-unset', { name }));
    onClose();
  };
  const standard = schema?.['default'];
  return (
    <Dialog title={text('providers.unset-title', { name })} onClose={onClose}>
      <ErrorBox error={error.value} />
      {!isPossible.value && error.value === undefined && <Loading />}
      {isPossible.value && (
        <p>
          {standard === undefined
            ? text('providers.unset-effect')
            : text('providers.unset-default', { value: plainText(standard) })}{' '}
          {text('providers.settings-change')}
        </p>
      )}
      <Confirm kind="danger" run={unset} disabled={!isPossible.value} onClose={onClose}>
        {text('providers.unset-now', { name })}
      </Confirm>
    </Dialog>
  );
}
