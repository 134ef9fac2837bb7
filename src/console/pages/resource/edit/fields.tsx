import type { RefObject } from 'preact';
import { useId } from 'preact/hooks';
import { slashed } from '../../../../domain/identity.ts';
import { immutableFields } from '../../../../domain/schemas/immutable-fields.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { ResourceList } from '../../../components/resource-list.tsx';
import type { JsonProblem } from '../../../components/text/json-text.ts';
import type { Edit } from './edit-form.ts';
import { text } from './text.ts';

interface FieldsProps {
  readonly edit: Edit;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly problem: JsonProblem | undefined;
  /** The schema of the type. */
  readonly schema: JsonObject | undefined;
  readonly change: (part: Partial<Edit>) => void;
}

const minRows = 8;
const maxRows = 30;

export function EditFields({ edit, area, problem, schema, change }: FieldsProps) {
  const id = useId();
  const { base, config, tags, state, dependencies = base.record.dependencies } = edit;
  const rows = Math.min(maxRows, Math.max(minRows, config.split('\n').length + 1));
  return (
    <>
      <label class="field">
        <span>{text('resource.edit.config')}</span>
        <textarea
          ref={area}
          rows={rows}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="none"
          value={config}
          aria-invalid={problem !== undefined}
          aria-describedby={id}
          onInput={(event) => change({ config: event.currentTarget.value })}
        />
      </label>
      <p id={id} class="invalid" role="alert">
        {problem !== undefined &&
          `${text('resource.json.place', { line: problem.line, column: problem.column })} ${text(`resource.json.${problem.kind}`, { what: problem.what })}`}
      </p>
      <Immutables edit={edit} schema={schema} />
      <label class="field">
        <span>{text('resource.edit.tags')}</span>
        <textarea
          rows={2}
          spellcheck={false}
          autocapitalize="none"
          value={tags}
          onInput={(event) => change({ tags: event.currentTarget.value })}
        />
      </label>
      {base.record.lifecycle_state === 'draft' && (
        <fieldset>
          <legend>{text('resource.edit.state')}</legend>
          {(['draft', 'pending'] as const).map((each) => (
            <label key={each}>
              <input
                type="radio"
                name={`${id}-state`}
                checked={state === each}
                onInput={() => change({ state: each })}
              />{' '}
              {text(`resource.edit.${each}`)}
            </label>
          ))}
        </fieldset>
      )}
      {dependencies.length > 0 && (
        <>
          <h3>{text('resource.edit.dependencies')}</h3>
          <ResourceList refs={dependencies.map(slashed)} />
        </>
      )}
    </>
  );
}

/** The fields that cannot change without a replacement; of a draft all of them can. */
function Immutables({ edit, schema }: Pick<FieldsProps, 'edit' | 'schema'>) {
  const fields = immutableFields(schema);
  if (fields.length === 0 || edit.base.record.lifecycle_state === 'draft') return null;
  return (
    <p class="quiet">
      {text('resource.edit.immutable')}{' '}
      <code>{fields.map((path) => path.join('.')).join(', ')}</code>
    </p>
  );
}
