// What is secret in `adopt`, which identifies the object of an import.
import { expect, it } from 'vitest';
import {
  mayHaveSecrets,
  nothingRecorded,
  secretTexts,
  withoutSecrets,
} from '../../../../src/domain/secrets/resource-secrets.ts';
import { typeSchemas } from '../../../../src/domain/secrets/type-schemas.ts';

const secret = { type: 'string', sensitive: true };
const adoptSchema = { properties: { token: secret } };
const adopt = { id: 'i-1', token: 'canary', old: 'other' };
const whole = { config: {}, outputs: { url: 'x://canary@h', host: 'h' } };
const hiddenBy = (adopted: readonly string[] | undefined, adoptSchemas: object) =>
  withoutSecrets(
    { ...whole, secrets: { ...nothingRecorded, appliedConfig: {}, adopt, adopted } },
    typeSchemas({ schema: {}, ...adoptSchemas }),
  ).masked;

it.each<[string, readonly string[] | undefined, object, readonly string[]]>([
  [
    'where its schema marks it, and in outputs',
    [],
    { adoptSchema },
    ['/outputs/url', '/adopt/token'],
  ],
  ['where an earlier schema marked it', ['/token'], {}, ['/outputs/url', '/adopt/token']],
  [
    'where no schema describes it, when nobody recorded what was secret',
    undefined,
    { adoptSchema },
    ['/outputs/url', '/adopt/token', '/adopt/old', '/adopt/id'],
  ],
  ['nowhere, when nothing marks it', undefined, { adoptSchema: { properties: {} } }, []],
])('is hidden %s', (_where, adopted, schemas, masked) => {
  expect([...hiddenBy(adopted, schemas)].sort()).toEqual([...masked].sort());
});

it('is hidden whole for an unknown type, and its texts are secrets', () => {
  const secrets = { ...nothingRecorded, adopt };
  const shown = withoutSecrets({ config: {}, outputs: {}, secrets }, undefined);
  expect(shown.adopt).toEqual({ id: null, token: null, old: null });
  const texts = secretTexts({ config: {}, outputs: {}, secrets }, typeSchemas({ adoptSchema }));
  expect(texts).toEqual(['canary']);
  expect(mayHaveSecrets(secrets, typeSchemas({ adoptSchema }))).toBe(true);
});
