// Texts that the compiler checks, character by character. One that no rule permits has a sentence as its type, which the editor shows.
// Texts that are not literals, and lengths, are checked when the program runs.

// biome-ignore format: an alphabet
type LowerLetter = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm' | 'n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z';
type Digit = `${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;

/** The text itself if each of its characters is one of `Char`, or else the rule. */
type Spelled<Text extends string, Char extends string, Rule extends string> =
  HasOnly<Text, Char> extends true ? Text : Rule;

/** A part that cannot be split, such as a number in a template, counts as permitted. */
type HasOnly<Text extends string, Char extends string> = Text extends `${infer First}${infer Rest}`
  ? First extends Char
    ? HasOnly<Rest, Char>
    : string extends First
      ? true
      : `${number}` extends First
        ? true
        : false
  : true;

export type ProviderName<Name extends string> = Name extends `-${string}` | `${string}-` | ''
  ? ProviderNameRule
  : Spelled<Name, LowerLetter | Digit | '-', ProviderNameRule>;
type ProviderNameRule =
  'The name of a provider has lower-case letters, digits and dashes, and begins and ends with a letter or digit';

export type TypeName<Name extends string> = Name extends `${Digit | '_' | '-'}${string}` | ''
  ? TypeNameRule
  : Spelled<Name, LowerLetter | Digit | '_' | '-', TypeNameRule>;
type TypeNameRule =
  'The name of a type has lower-case letters, digits, _ and -, and begins with a letter';

export type CodeText<Code extends string> = Code extends ''
  ? CodeTextRule
  : Spelled<Code, LowerLetter | Uppercase<LowerLetter> | Digit | '_' | '-' | '.', CodeTextRule>;
type CodeTextRule = 'A code has only letters, digits, _, - and ., such as quota_exceeded';

/** A number with its unit, such as `"500ms"`, `"5s"`, `"2m"`, `"1h"`. */
export type Delay = `${number}${'ms' | 's' | 'm' | 'h'}`;

/** A whole number with `s`, `m`, `h` or `d`, such as `"10m"`. */
export type Interval = `${number}${'s' | 'm' | 'h' | 'd'}`;
