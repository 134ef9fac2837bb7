// The properties of a field of the form, whatever its kind.
import type { Input } from './input.ts';
import type { Field } from './model.ts';
import type { Messages } from './violations.ts';

export interface FieldProps {
  readonly field: Field;
  readonly input: Input;
  /** JSON Pointer of the value, such as `/config/size`. */
  readonly path: string;
  readonly label: string;
  readonly change: (input: Input) => void;
  readonly messages: Messages;
}
