// The filter of a list; the key `/` leads to it.
interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string;
  readonly invalid?: string | undefined;
}

export function SearchField({ label, value, onInput, hint, invalid }: SearchFieldProps) {
  return (
    <label class="search">
      <span>{label}</span>
      <input
        type="search"
        data-search
        spellcheck={false}
        autocomplete="off"
        autocapitalize="none"
        placeholder={hint ?? ''}
        value={value}
        aria-invalid={invalid !== undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // Browsers clear the field without an event of input.
          event.preventDefault();
          if (value === '') event.currentTarget.blur();
          else onInput('');
        }}
      />
      {invalid !== undefined && (
        <span class="invalid" role="alert">
          {invalid}
        </span>
      )}
    </label>
  );
}
