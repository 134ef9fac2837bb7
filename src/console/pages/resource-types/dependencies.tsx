// The resources that must be ready first, with those that exist offered.
import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { slashed } from '../../../domain/identity.ts';
import { resources } from '../../live/resources.ts';
import type { PartProps } from './config-fields.tsx';
import { Problems } from './form/hint.tsx';
import { text } from './text.ts';

/** A list of thousands would make typing slow. */
const maxOffered = 50;

export function Dependencies({ draft, change, messages }: PartProps) {
  const id = useId();
  const add = useRef<HTMLButtonElement>(null);
  const typed = useSignal('');
  const { dependencies } = draft;
  const set = (next: readonly string[]) => change({ dependencies: next });
  return (
    <fieldset>
      <legend>{text('types.dependencies')}</legend>
      <p class="hint">{text('types.dependencies-hint')}</p>
      <Problems id={`${id}-problem`} messages={messages.get('/dependencies')} />
      {dependencies.length > 0 && <Offered id={`${id}-offered`} typed={typed.value} />}
      <ul>
        {dependencies.map((each, index) => {
          const label = text('types.dependency', { number: index + 1 });
          const problems = messages.get(`/dependencies/${index}`);
          return (
            <li key={index} class="form-row">
              <input
                aria-label={label}
                aria-describedby={`${id}-problem-${index}`}
                aria-invalid={problems !== undefined}
                required
                list={`${id}-offered`}
                placeholder="PROVIDER/TYPE/NAME"
                spellcheck={false}
                autocapitalize="none"
                value={each}
                onInput={({ currentTarget: { value } }) => {
                  typed.value = value;
                  set(dependencies.with(index, value));
                }}
              />
              <Problems id={`${id}-problem-${index}`} messages={problems} />
              <button
                type="button"
                class="small"
                onClick={() => {
                  set(dependencies.toSpliced(index, 1));
                  // The button that had the focus is gone.
                  add.current?.focus();
                }}
              >
                {text('types.remove-dependency', { number: index + 1 })}
              </button>
            </li>
          );
        })}
      </ul>
      <button ref={add} type="button" class="small" onClick={() => set([...dependencies, ''])}>
        {text('types.add-dependency')}
      </button>
    </fieldset>
  );
}

function Offered({ id, typed }: { readonly id: string; readonly typed: string }) {
  const names = resources.value.map(slashed).filter((name) => name.includes(typed.trim()));
  return (
    <datalist id={id}>
      {names
        .toSorted()
        .slice(0, maxOffered)
        .map((name) => (
          <option key={name} value={name} />
        ))}
    </datalist>
  );
}
