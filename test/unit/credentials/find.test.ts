import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { credentialsIn } from '../../../src/credentials/find.ts';

// Put together here, so that no scanner of repositories takes them for real ones.
const join = (...parts: readonly string[]) => parts.join('');
const github = join('ghp_', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx');
const aws = join('AKIA', 'Z7QW3ERT5YUI8OPL');
const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
const key = (kind: string, end = '\n') =>
  join(
    '-----BEGIN ',
    kind,
    `PRIVATE KEY-----${end}`,
    body,
    end,
    '-----END ',
    kind,
    'PRIVATE KEY-----',
  );

const found: Record<string, readonly [text: string, line: number, what: string]> = {
  'a token in code': [`\nconst token = '${github}';\n`, 2, 'a credential of github'],
  'a key of a service account, in JSON': [
    `{\n  "type": "service_account",\n  "private_key": ${JSON.stringify(key('', '\n'))}\n}`,
    3,
    'a private key',
  ],
  'a key of an access, with its secret': [
    `one\n${aws}\nwJalrXUtnFEMI/K7MDENG`,
    2,
    'a credential of aws',
  ],
  'a key of OpenSSH': [key('OPENSSH '), 1, 'a private key'],
  'a key in code': [key('EC ', "\\n' +\n  '"), 1, 'a private key'],
  'a token behind a comment that disables rules': [
    `// secretlint-disable\n${github}`,
    2,
    'a credential of github',
  ],
  'a secret key by its name': [
    join('aws_secret_access_key = ', 'hG7tYq2LmN8pR4sVw6xZ1aBcD3eFgH5jK9lMnOpQ'),
    1,
    'a credential of aws',
  ],
};

it.each(Object.entries(found))('finds %s', async (_name, [text, line, what]) => {
  expect(await credentialsIn(text)).toEqual([{ line, what }]);
});

it.each([
  ['a public key', key('').replaceAll('PRIVATE', 'PUBLIC')],
  ['a certificate', key('').replaceAll('PRIVATE KEY', 'CERTIFICATE')],
  [
    'code that reads keys',
    "pem.replace(/-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----/g, '')",
  ],
  ['code of minifiers', 'SG.prototype.render.call(SG.defaults.options,hf_a,npm_b)'],
  [
    'a placeholder',
    `GITHUB_TOKEN=${join('ghp_', 'x'.repeat(36))} //r.example/:_authToken=YOUR_TOKEN`,
  ],
  ['the example of AWS', 'AKIAIOSFODNN7EXAMPLE'],
  [
    'a user in a URL',
    'postgres://postgres:postgres@localhost/db https://user:password@example.org/',
  ],
  ['a password in a test', 'const password = "hunter2"; Authorization: Bearer abc123def456'],
  ['integrity in a lock file', `"integrity": "sha512-${'Ab3+/9xQ'.repeat(10)}=="`],
])('does not take %s for one', async (_name, text) => {
  expect(await credentialsIn(text)).toEqual([]);
});

it('finds none in the lock file, the examples and the documentation of this repository', async () => {
  const root = new URL('../../../', import.meta.url);
  const paths = globSync(['package-lock.json', '{examples,docs,src}/**/*.{ts,tsx,json,md,yaml}'], {
    cwd: root,
    exclude: (path) => path.endsWith('node_modules'),
  });
  expect(paths.length).toBeGreaterThan(500);
  const hits: string[] = [];
  for (const path of paths) {
    for (const { line, what } of await credentialsIn(readFileSync(new URL(path, root), 'utf8'))) {
      hits.push(`${path}:${line} ${what}`);
    }
  }
  expect(hits).toEqual([]);
});
