// Changes one setting: checked by the API first, then written. A sensitive value is in the field alone, and gone with it.
import { type Signal, useSignal } from '@preact/signals';
import type { JsonObject } from '../../../domain/json.ts';
import { get } from '../../api/client.ts';
import { Action } from '../../components/action.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { notify } from '../../shell/notices.tsx';
import { text } from '../../text.ts';
import { inputOf, type SettingInput, settingValue, typedOf } from './setting-input.ts';
import type { Setting } from './settings.tsx';

interface SettingDialogProps {
  readonly provider: string;
  readonly setting: Setting;
  readonly onClose: () => void;
}

export function SettingDialog({ provider, setting, onClose }: SettingDialogProps) {
  const { name, sensitive, required, is_set: isSet } = setting;
  const input = inputOf(setting);
  const typed = useSignal(sensitive ? '' : typedOf(input, setting.value));
  const path = { provider };
  const save = async () => {
    const values: JsonObject = { [name]: settingValue(input, typed.value) };
    await get('updateProviderSettings', { path, query: { dry_run: true }, body: { values } });
    await get('updateProviderSettings', { path, body: { values } });
    typed.value = '';
    notify(text('providers.setting-saved', { name }));
    onClose();
  };
  const unset = async () => {
    const setting = { provider, setting: name };
    await get('deleteProviderSetting', { path: setting, query: { dry_run: true } });
    await get('deleteProviderSetting', { path: setting });
    notify(text('providers.setting-unset', { name }));
    onClose();
  };
  return (
    <Dialog title={text('providers.change-setting', { name })} onClose={onClose}>
      {setting.description !== '' && <p>{setting.description}</p>}
      <label class="field">
        <span>{text(input.kind === 'json' ? 'providers.value-json' : 'providers.value')}</span>
        <ValueField input={input} isSensitive={sensitive} typed={typed} />
      </label>
      <p class="quiet">{text('providers.setting-effect')}</p>
      <footer>
        <Action kind="primary" run={save}>
          {text('providers.save')}
        </Action>
        {isSet === true && !required && (
          <Action kind="danger" run={unset}>
            {text('providers.unset')}
          </Action>
        )}
        <button type="button" onClick={onClose}>
          {text('cancel')}
        </button>
      </footer>
    </Dialog>
  );
}

interface ValueFieldProps {
  readonly input: SettingInput;
  readonly isSensitive: boolean;
  readonly typed: Signal<string>;
}

function ValueField({ input, isSensitive, typed }: ValueFieldProps) {
  const { value } = typed;
  const change = (event: { readonly currentTarget: { readonly value: string } }) => {
    typed.value = event.currentTarget.value;
  };
  if (isSensitive) {
    return <input type="password" autocomplete="off" value={value} onInput={change} />;
  }
  if (input.kind === 'choice') {
    return (
      <select value={value} onChange={change}>
        <option value="" />
        {input.choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (input.kind === 'json') {
    return <textarea rows={5} spellcheck={false} value={value} onInput={change} />;
  }
  return <input type="text" autocomplete="off" spellcheck={false} value={value} onInput={change} />;
}
