// Defines the flags of the command table.

/** Names that completion offers for a value. */
export type Completes =
  | 'resource'
  | 'provider'
  | 'type'
  | 'project'
  | 'set'
  | 'context'
  | 'file'
  | readonly string[];

interface AnyFlag {
  /** Without dashes, such as `all-projects`. */
  readonly name: string;
  readonly short?: string;
  readonly about: string;
}

/** A flag without a value: `--watch`, or `--no-deploy` (`is: 'off'`), or both `--wait` and `--no-wait`. */
interface Switch extends AnyFlag {
  readonly is?: 'on' | 'off' | 'both';
  readonly value?: never;
}

interface ValueFlag extends AnyFlag {
  /** In capitals, as help shows it. */
  readonly value: string;
  readonly repeatable?: true;
  readonly choices?: readonly string[];
  /** Shown in help; the command applies it. */
  readonly standard?: string;
  readonly completes?: Completes;
}

export type Flag = Switch | ValueFlag;
