// Values of YAML that no JSON has, bytes that are no text, and variables without a value are refused with their place.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDeclarations } from '../../../../../src/cli/resources/declarations/declaration.ts';
import { clientEnvironment } from '../../../../support/clients/client.ts';
import { newFolder } from '../../../../support/runner/folder.ts';

async function refusal(input: string): Promise<unknown> {
  const environment = clientEnvironment({ input });
  const thrown: unknown = await readDeclarations(['-'], environment).catch((error) => error);
  return (thrown as { facts?: unknown }).facts;
}

it.each([
  [
    'an alias inside of its value',
    'resource: a/b/c\nconfig: &a {self: *a}',
    ['stdin:2:19', 'config.self', 'the alias *a stands for a value that contains it'],
  ],
  [
    'a merge of a mapping into itself',
    'resource: a/b/c\nconfig: &a {<<: *a}',
    ['stdin:2:17', 'config.<<', 'the alias *a stands for a value that contains it'],
  ],
])('refuses %s', async (_, text, fact) => {
  expect(await refusal(text)).toEqual([fact]);
});

it('names a file that is no text', async () => {
  const folder = newFolder('refused-values-');
  writeFileSync(join(folder, 'key.bin'), Buffer.from([0x61, 0xff]));
  writeFileSync(join(folder, 'a.yaml'), 'resource: a/b/c\nconfig: {key: !file key.bin}');
  writeFileSync(join(folder, 'b.yaml'), Buffer.from('resource: a/b/c # é', 'latin1'));
  const environment = { ...clientEnvironment({}), folder };
  const why = 'save it as UTF-8, and write binary content as Base64';
  await expect(readDeclarations(['a.yaml'], environment)).rejects.toMatchObject({
    facts: [['a.yaml:2:21', 'config.key', `key.bin is not UTF-8 from byte 1 on; ${why}`]],
  });
  await expect(readDeclarations(['b.yaml'], environment)).rejects.toThrow(
    `b.yaml is not UTF-8 from byte 18 on; ${why}`,
  );
});

it('distinguishes an empty variable from a missing one', async () => {
  const environment = clientEnvironment({ input: 'resource: a/b/c\nconfig: {a: !env EMPTY}' });
  const variables = { ...environment.variables, EMPTY: '' };
  await expect(readDeclarations(['-'], { ...environment, variables })).rejects.toMatchObject({
    facts: [['stdin:2:18', 'config.a', 'the environment variable EMPTY is empty']],
  });
});
