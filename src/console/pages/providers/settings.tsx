// The settings of a provider. Sensitive values are never shown, only that they are set.
import { useSignal } from '@preact/signals';
import type { ProviderSettings } from '../../../cli/api/bodies.ts';
import { get } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading, State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { usePolled } from '../../live/polled.ts';
import { may } from '../../session/rights.ts';
import { text } from '../../text.ts';
import { SettingDialog } from './setting-dialog.tsx';

const everyMs = 5_000;
export type Setting = ProviderSettings['settings'][number];

export function Settings({ provider }: { readonly provider: string }) {
  const polled = usePolled({
    key: provider,
    everyMs,
    load: (signal) => get('getProviderSettings', { path: { provider }, signal }),
  });
  const editing = useSignal<Setting | undefined>(undefined);
  const read = polled.value.value;
  const { value: error } = polled.error;
  if (error instanceof ApiError && error.status === 404) {
    return <p class="empty">{text('providers.no-settings-yet')}</p>;
  }
  if (read === undefined) return error === undefined ? <Loading /> : <ErrorBox error={error} />;
  const canEdit = may('updateProviderSettings') && read.secret === null;
  return (
    <>
      <ErrorBox error={error} />
      {read.secret !== null && <p>{text('providers.settings-secret', { secret: read.secret })}</p>}
      {read.missing.length > 0 && (
        <p class="error-box">
          {text('providers.settings-missing', { names: read.missing.join(', ') })}
        </p>
      )}
      {read.settings.length === 0 ? (
        <p class="empty">{text('providers.no-settings')}</p>
      ) : (
        <Table
          settings={read.settings}
          edit={
            canEdit
              ? (setting) => {
                  editing.value = setting;
                }
              : undefined
          }
        />
      )}
      {editing.value !== undefined && (
        <SettingDialog
          provider={provider}
          setting={editing.value}
          onClose={() => {
            editing.value = undefined;
            void polled.reload();
          }}
        />
      )}
    </>
  );
}

interface TableProps {
  readonly settings: readonly Setting[];
  /** Undefined for those who may not change them. */
  readonly edit: ((setting: Setting) => void) | undefined;
}

function Table({ settings, edit }: TableProps) {
  return (
    <table class="settings">
      <thead>
        <tr>
          <th scope="col">{text('providers.setting')}</th>
          <th scope="col">{text('providers.value')}</th>
          <th scope="col">{text('providers.set')}</th>
          {edit !== undefined && <th scope="col">{text('providers.actions')}</th>}
        </tr>
      </thead>
      <tbody>
        {settings.map((setting) => (
          <tr key={setting.name}>
            <th scope="row">
              <code>{setting.name}</code>{' '}
              {setting.required && <span class="quiet">{text('providers.required')}</span>}
              {setting.description !== '' && <p class="quiet">{setting.description}</p>}
            </th>
            <td>
              <Value setting={setting} />
            </td>
            <td>
              {setting.set_at !== null && <Ago time={setting.set_at} />}
              {setting.set_by !== null &&
                ` ${text('providers.set-by', { subject: setting.set_by })}`}
            </td>
            {edit !== undefined && (
              <td>
                <button
                  type="button"
                  class="small"
                  aria-label={text('providers.change-setting', { name: setting.name })}
                  onClick={() => edit(setting)}
                >
                  {text('providers.change')}
                </button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ setting }: { readonly setting: Setting }) {
  if (setting.is_set === false) {
    return setting.required ? (
      <State state="missing" />
    ) : (
      <span class="quiet">{text('providers.not-set')}</span>
    );
  }
  if (setting.sensitive) return <span>{text('providers.hidden')}</span>;
  if (setting.is_set === null) return <span class="quiet">{text('providers.in-secret')}</span>;
  return <code class="pre">{JSON.stringify(setting.value)}</code>;
}
