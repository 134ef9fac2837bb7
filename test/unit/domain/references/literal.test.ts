// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
import { expect, it } from 'vitest';
import { literal, literalMembers } from '../../../../src/domain/references/literal.ts';
import { referencesIn, resolveReferences } from '../../../../src/domain/references/references.ts';

it.each([
  'plain',
  '${a/b/c.outputs.d}',
  '$${a/b/c.outputs.d}',
  '$$${a/b/c.outputs.d}x${a/b/c.outputs.e}',
  '${a/b/c.outputs.d}${a/b/c.outputs.d}',
  '${HOME} $${HOME} ${',
  '${a/b/c.outputs["tls.crt"]} ${a/b/c.outputs.d[0]} $${ a/b/c }',
  ['${a/b/c.outputs.d}', { more: '${a/b/c.outputs.d}', none: null, size: 1 }],
])('writes %j so that a config contains it as it is', (value) => {
  const config = literalMembers({ value });
  expect(referencesIn(config)).toEqual([]);
  expect(resolveReferences(config, () => undefined).config).toEqual({ value });
});

it('leaves what is no reference unescaped', () => {
  expect(literal('${HOME}')).toBe('${HOME}');
});
