// An input for names, which a browser must neither correct nor complete.
interface NameInputProps {
  readonly id?: string;
  readonly required?: boolean;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: boolean;
}

/** @example <NameInput id={id} required value={name.value} onInput={rename} /> */
export function NameInput({ onInput, ...attributes }: NameInputProps) {
  return (
    <input
      {...attributes}
      type="text"
      spellcheck={false}
      autocomplete="off"
      autocapitalize="none"
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}
