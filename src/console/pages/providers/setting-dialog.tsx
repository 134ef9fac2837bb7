// Sets one setting. The text of a sensitive one is only in its field, until it is sent.
import { useSignal } from '@preact/signals';
import type { Ref } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { ApiError, violationText } from '../../api/errors.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { notify } from '../../shell/notices.tsx';
import type { ProviderSetting, SettingDialogProps } from './setting.ts';
import { type SettingInput, settingInput, shownValue, typedValue } from './setting-input.ts';
import { text } from './text.ts';

type SettingControl = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function SettingDialog({ provider, setting, onClose }: SettingDialogProps) {
  const { name, description, sensitive } = setting;
  const id = useId();
  const field = useRef<SettingControl>(null);
  const problem = useSignal<string | undefined>(undefined);
  const input = settingInput(setting.schema);
  const save = async () => {
    const typed = typedValue(input, field.current?.value ?? '');
    problem.value = 'problem' in typed ? text(`providers.problem.${typed.problem}`) : undefined;
    if ('problem' in typed) return;
    const request = { path: { provider }, body: { values: { [name]: typed.value } } };
    problem.value = await settingViolation(() =>
      call('updateProviderSettings', { ...request, query: { dry_run: true } }),
    );
    if (problem.value !== undefined) return;
    await call('updateProviderSettings', request);
    if (field.current !== null) field.current.value = '';
    notify(text('providers.setting-saved', { name }));
    onClose();
  };
  return (
    <Dialog title={text('providers.set-title', { name })} onClose={onClose}>
      {description !== '' && <p class="pre">{description}</p>}
      <p>
        {text('providers.settings-change')}
        {sensitive && ` ${text('providers.sensitive-meaning')}`}
      </p>
      <form onSubmit={(event) => event.preventDefault()} class="field" autocomplete="off">
        <label for={id}>{text('providers.value')}</label>
        <SettingField
          id={id}
          field={field}
          input={input}
          setting={setting}
          isInvalid={problem.value !== undefined}
        />
        <p class="invalid pre" id={`${id}-problem`} role="alert">
          {problem.value}
        </p>
      </form>
      <Confirm kind="primary" run={save} onClose={onClose}>
        {text('providers.set-now', { name })}
      </Confirm>
    </Dialog>
  );
}

/** @returns what the API rejects of a value. @throws other errors */
async function settingViolation(request: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await request();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.violations.length > 0) {
      return thrown.violations.map((each) => violationText(each)).join('\n');
    }
    throw thrown;
  }
}

interface SettingFieldProps {
  readonly id: string;
  readonly field: Ref<SettingControl>;
  readonly input: SettingInput;
  readonly setting: ProviderSetting;
  readonly isInvalid: boolean;
}

function SettingField({ id, field, input, setting, isInvalid }: SettingFieldProps) {
  const { sensitive, value } = setting;
  const about = {
    id,
    'aria-invalid': isInvalid,
    'aria-describedby': `${id}-problem`,
  };
  if (sensitive) {
    return (
      <input
        {...about}
        ref={field as Ref<HTMLInputElement>}
        type="password"
        autocomplete="off"
        spellcheck={false}
      />
    );
  }
  const before = shownValue(input, value);
  if (input.kind === 'json') {
    return (
      <textarea {...about} ref={field as Ref<HTMLTextAreaElement>} rows={6} spellcheck={false}>
        {before}
      </textarea>
    );
  }
  if (input.kind === 'choice' || input.kind === 'boolean') {
    const options = input.kind === 'choice' ? input.options : ['true', 'false'];
    return (
      <select {...about} ref={field as Ref<HTMLSelectElement>}>
        {before === '' && <option value="">—</option>}
        {options.map((option) => (
          <option key={option} value={option} selected={option === before}>
            {option}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      {...about}
      ref={field as Ref<HTMLInputElement>}
      type="text"
      inputMode={input.kind === 'number' ? 'decimal' : 'text'}
      autocomplete="off"
      spellcheck={false}
      defaultValue={before}
    />
  );
}
