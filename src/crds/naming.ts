// Defines CEL rules for `metadata.name`. Fairlead looks objects up by a computed name: an object with any other name would
// be invisible over HTTP. CEL has no sha256, so the server checks the readable part and the shape of the hash; the
// controller compares the hash itself.
import type { CelRule } from './define.ts';

/** Halves runs of dashes; eight times is enough for the longest name, in which every run becomes one dash. */
const collapse = ".replace('--', '-')".repeat(8);

/**
 * Requires `metadata.name` to be `<slug of the key, at most 35 characters>-<16 hex digits>`, as `domain/identity` makes it.
 * @param key CEL expression of the readable text, over `self.spec`  @param hashed CEL expression of the text that is hashed
 */
export function namedAfter({ key, hashed = key }: { key: string; hashed?: string }): CelRule {
  // Not the equivalent findAll() and join(): their worst-case cost exceeds the limit of the API server. The added dot
  // becomes a dash, so the slug ends with exactly one, whatever the key ends with.
  const slug = `(${key} + '.').lowerAscii().replace('_', '-').replace('.', '-')${collapse}`;
  const name = 'self.metadata.name';
  return {
    rule: [
      // Only on creation: name and spec of the identity are immutable, and a status write would compute the slug, too.
      'oldSelf.hasValue() ||',
      `(${name}.matches('^.{0,34}[a-z0-9]-[0-9a-f]{16}$') &&`,
      // A truncated slug may have lost one more character, a trailing dash.
      `(${name}.size() >= 51`,
      `? ${slug}.startsWith(${name}.substring(0, ${name}.size() - 17))`,
      `: ${slug} == ${name}.substring(0, ${name}.size() - 16)))`,
    ].join(' '),
    optionalOldSelf: true,
    fieldPath: '.metadata.name',
    message: 'must be a slug of the spec, a dash and the first 16 digits of a hash of the spec',
    messageExpression: [
      "'must be '",
      `(${slug}.size() <= 36 ? ${slug} : (${slug}.substring(0, 35) + '-').replace('--', '-'))`,
      "'<hash>, where <hash> is what this prints: printf %s '",
      hashed,
      "' | sha256sum | cut -c1-16'",
    ].join(' + '),
  };
}
