// The settings of a provider: what it declares, what is set, and what is missing.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ProviderSettings } from '../../../api/shapes.ts';
import { plainText } from '../../../client/plain-text.ts';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading, State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { usePolled } from '../../live/polled.ts';
import { may } from '../../session/rights.ts';
import { notify } from '../../shell/notices.tsx';
import type { ProviderSetting, SettingDialogProps } from './setting.ts';
import { SettingDialog } from './setting-dialog.tsx';
import { counted, text } from './text.ts';

const everyMs = 5_000;

interface SettingDialogState {
  readonly kind: 'set' | 'unset';
  readonly setting: ProviderSetting;
}

export function Settings({ provider }: { readonly provider: string }) {
  const polled = usePolled({
    key: provider,
    everyMs,
    load: (signal) => call('getProviderSettings', { path: { provider }, signal }),
  });
  const opened = useSignal<SettingDialogState | undefined>(undefined);
  const { value: settings } = polled.value;
  const { value: error } = polled.error;
  const isUndeclared = error instanceof ApiError && error.status === 404;
  const close = () => {
    opened.value = undefined;
    void polled.reload();
  };
  if (isUndeclared) return <p class="empty">{text('providers.settings-undeclared')}</p>;
  return (
    <section aria-label={text('providers.settings')}>
      <ErrorBox error={error} />
      {settings === undefined && error === undefined && <Loading />}
      {settings !== undefined && (
        <SettingsTable
          settings={settings}
          open={(kind, setting) => {
            opened.value = { kind, setting };
          }}
        />
      )}
      {opened.value?.kind === 'set' && (
        <SettingDialog provider={provider} setting={opened.value.setting} onClose={close} />
      )}
      {opened.value?.kind === 'unset' && (
        <UnsetDialog provider={provider} setting={opened.value.setting} onClose={close} />
      )}
    </section>
  );
}

interface TableProps {
  readonly settings: ProviderSettings;
  readonly open: (kind: SettingDialogState['kind'], setting: ProviderSetting) => void;
}

function SettingsTable({ settings: { settings, missing, secret, version }, open }: TableProps) {
  if (settings.length === 0) {
    return <p class="empty">{text('providers.no-settings', { version: version ?? '—' })}</p>;
  }
  const mayEdit = may('updateProviderSettings') && secret === null;
  return (
    <>
      {missing.length > 0 && (
        <p class="card bad">
          {counted('providers.missing', missing.length)} <b>{missing.join(', ')}</b>
        </p>
      )}
      <p>
        {secret === null
          ? text('providers.settings-change')
          : text('providers.settings-secret', { secret })}
      </p>
      <table class="settings">
        <thead>
          <tr>
            <th scope="col">{text('providers.setting')}</th>
            <th scope="col">{text('providers.value')}</th>
            {mayEdit && <th scope="col">{text('providers.change')}</th>}
          </tr>
        </thead>
        <tbody>
          {settings.map((setting) => (
            <tr key={setting.name}>
              <th scope="row">
                <SettingName setting={setting} />
              </th>
              <td>
                <SettingValue setting={setting} isMissing={missing.includes(setting.name)} />
              </td>
              {mayEdit && (
                <td>
                  <SettingButtons setting={setting} open={open} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function SettingName({ setting }: { readonly setting: ProviderSetting }) {
  const { name, description, required, sensitive, schema } = setting;
  const marks = [
    required && text('providers.required'),
    sensitive && text('providers.sensitive'),
    schema === null && text('providers.undeclared'),
  ].filter((each) => each !== false);
  return (
    <>
      <code>{name}</code>
      {description !== '' && <p class="pre">{description}</p>}
      {marks.length > 0 && <p class="quiet">{marks.join(', ')}</p>}
    </>
  );
}

function SettingValue({ setting, isMissing }: { setting: ProviderSetting; isMissing: boolean }) {
  const { is_set: isSet, sensitive, value, schema, set_at: at, set_by: by } = setting;
  const who = setting.set_by_name ?? by;
  if (isMissing) return <State state="missing" />;
  if (isSet === null) return <span class="quiet">{text('providers.in-secret')}</span>;
  if (!isSet) {
    const standard = schema?.['default'];
    if (standard === undefined) return <span class="quiet">{text('providers.not-set')}</span>;
    return <code>{text('providers.default', { value: plainText(standard) })}</code>;
  }
  return (
    <>
      {sensitive ? <i>{text('providers.hidden')}</i> : <code class="pre">{plainText(value)}</code>}
      <p class="quiet">
        {text('providers.set')} <Ago time={at} />{' '}
        {who !== null && text('providers.set-by', { by: who })}
      </p>
    </>
  );
}

function SettingButtons({ setting, open }: { setting: ProviderSetting; open: TableProps['open'] }) {
  const { name, is_set: isSet, schema } = setting;
  return (
    <span class="actions">
      {schema !== null && (
        <button
          type="button"
          class="small"
          aria-label={text('providers.set-ask', { name })}
          onClick={() => open('set', setting)}
        >
          {text('providers.set-short')}
        </button>
      )}
      {isSet === true && may('deleteProviderSetting') && (
        <button
          type="button"
          class="small"
          aria-label={text('providers.unset-ask', { name })}
          onClick={() => open('unset', setting)}
        >
          {text('providers.unset-short')}
        </button>
      )}
    </span>
  );
}

// Removes a setting, after a check whether the deployed version can do without it.

function UnsetDialog({ provider, setting, onClose }: SettingDialogProps) {
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
