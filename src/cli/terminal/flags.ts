// Gives commands the values of their flags by kind. A command that reads a flag that it does not declare is a defect.
import { usageError } from './errors/cli-error.ts';
import type { Flag } from './flag.ts';

/** Values as parsed, by the name of the flag: true or false of a switch, text, or texts. */
export type RawFlags = Readonly<Record<string, unknown>>;

export class Flags {
  readonly #declared: ReadonlyMap<string, Flag>;
  readonly #values: RawFlags;

  constructor(declared: readonly Flag[], values: RawFlags) {
    this.#declared = new Map(declared.map((flag) => [flag.name, flag]));
    this.#values = values;
  }

  /** @returns whether a switch is given; for `--no-x`, whether it is not */
  on(name: string): boolean {
    const flag = this.#flag(name);
    const value = this.#values[name];
    if (value === undefined) return flag.value === undefined && flag.is === 'off';
    return value === true;
  }

  /** @returns true for `--x`, false for `--no-x`, undefined for neither */
  choice(name: string): boolean | undefined {
    this.#flag(name);
    const value = this.#values[name];
    return typeof value === 'boolean' ? value : undefined;
  }

  text(name: string): string | undefined {
    this.#flag(name);
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  texts(name: string): readonly string[] {
    this.#flag(name);
    const value = this.#values[name];
    if (Array.isArray(value)) return value as readonly string[];
    return typeof value === 'string' ? [value] : [];
  }

  /** @returns a whole number that is not negative */
  count(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^[0-9]{1,9}$/.test(text)) {
      throw usageError(`--${name} must be a whole number, is "${text}".`);
    }
    return Number(text);
  }

  /** @returns milliseconds */
  duration(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : durationIn(text, `--${name}`);
  }

  #flag(name: string): Flag {
    const flag = this.#declared.get(name);
    if (flag === undefined) throw new TypeError(`The flag --${name} is not declared.`);
    return flag;
  }
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** @returns the milliseconds of a time such as `90s`, `5m`, `1h30m` or `0`. @throws CliError naming the flag */
export function durationIn(text: string, flag: string): number {
  if (text === '0') return 0;
  if (!/^(?:[0-9]{1,6}(?:ms|[smhd]))+$/.test(text)) {
    throw usageError(`${flag} must be a time such as 30s, 5m or 1h30m, is "${text}".`);
  }
  let sum = 0;
  for (const [, figure = '0', unit = 's'] of text.matchAll(/([0-9]+)(ms|[smhd])/g)) {
    sum += Number(figure) * (unit === 'd' ? 86_400_000 : (units[unit] ?? 0));
  }
  return sum;
}
