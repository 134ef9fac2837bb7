// The config of a new resource: as fields, or as JSON.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { marksSecrets } from '../../../domain/secrets/marks.ts';
import { type Draft, draftAsJson, draftFor } from './draft.ts';
import { FieldView } from './form/field.tsx';
import type { Messages } from './form/violations.ts';
import { text } from './text.ts';

export interface PartProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly messages: Messages;
}

export function ConfigFields({ draft, change, messages }: PartProps) {
  const id = useId();
  const stays = useSignal(false);
  const { field, input, type } = draft;
  const isJson = field.kind === 'json';
  const switchTo = () => {
    const next = isJson ? draftFor(draft, type) : draftAsJson(draft);
    stays.value = isJson && next.field.kind === 'json';
    if (!stays.value) change({ field: next.field, input: next.input });
  };
  return (
    <section data-config aria-labelledby={id}>
      <h3 id={id}>{text('types.config')}</h3>
      <p>
        <button type="button" class="link" onClick={switchTo}>
          {text(isJson ? 'types.to-fields' : 'types.to-json')}
        </button>
      </p>
      <p role="status">{stays.value && text('types.only-json')}</p>
      {isJson && type.schema !== null && marksSecrets(type.schema) && (
        <p class="quiet">{text('types.json-shows')}</p>
      )}
      <FieldView
        key={field.kind}
        field={field}
        input={input}
        path="/config"
        label="config"
        messages={messages}
        change={(next) => change({ input: next })}
      />
      {field.kind === 'group' && field.members.length === 0 && (
        <p class="quiet">{text('types.no-fields.config')}</p>
      )}
    </section>
  );
}
