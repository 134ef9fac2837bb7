import { expect, it } from 'vitest';
import { maskCredentials } from '../../../src/credentials/mask.ts';

// Put together here, so that no scanner of repositories takes them for real ones.
const join = (...parts: readonly string[]) => parts.join('');
const jwt = join('eyJhbGciOiJIUzI1NiJ9', '.', 'eyJzdWIiOiJqYW5lIn0', '.', 'c2lnbmF0dXJl');
const key = join(
  '-----BEGIN RSA ',
  'PRIVATE KEY-----\nMIIEow\nAAAA\n-----END RSA ',
  'PRIVATE KEY-----',
);
const github = join('ghp_', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx');

const masked = {
  'an Authorization header': [
    'GET / failed: Authorization: Bearer abc123def456',
    'GET / failed: Authorization: [masked]',
  ],
  'a header in JSON': ['{"authorization":"Basic dXNlcjpwYXNz"}', '{"authorization":"[masked]"}'],
  'a bearer value alone': ['refused Bearer 3f9a0c1d2e for it', 'refused Bearer [masked] for it'],
  'a JWT': [`jwt ${jwt} expired`, 'jwt [masked] expired'],
  'a password in a setting': ['password=hunter2 host=db', 'password=[masked] host=db'],
  'a token in a query': ['GET /x?token=abc&page=2: 500', 'GET /x?token=[masked]&page=2: 500'],
  'a secret in an environment': ['DB_SECRET="a b c" DEBUG=1', 'DB_SECRET=[masked] DEBUG=1'],
  'a password in JSON': ['{"password": "x\'y", "n": 1}', '{"password": [masked], "n": 1}'],
  'a user in a URL': [
    'cannot reach https://jane:p@ss@db.example:5432/x',
    'cannot reach https://[masked]@db.example:5432/x',
  ],
  'a connection string keeps its host': [
    'postgres://app:s3cr3t@db/orders',
    'postgres://[masked]@db/orders',
  ],
  'a private key': [`bad key ${key} here`, 'bad key [masked] here'],
  'a private key that was cut off': [key.slice(0, 45), '[masked]'],
  'a token that a rule of secretlint detects': [
    `push with ${github} failed`,
    'push with [masked] failed',
  ],
  'a token behind a comment that disables rules': [
    `// secretlint-disable\n${github}`,
    '// secretlint-disable\n[masked]',
  ],
};

it.each(Object.entries(masked))('masks %s', async (_name, [text = '', want]) => {
  expect(await maskCredentials(text)).toBe(want);
});

it.each([
  'config.password: must have 8 characters or more',
  'connect ECONNREFUSED 127.0.0.1:5432',
  'Basic authentication is not supported',
  'The token has expired; ask for another one',
  'mail to jane@example.org failed, see https://docs.example/errors#secret',
  'INVALID_ANSWER: expected {"outputs":{…}}',
  '',
])('keeps %j unchanged', async (text) => {
  expect(await maskCredentials(text)).toBe(text);
});

it('keeps nothing of its input', async () => {
  const before = performance.getEntries().length;
  for (let count = 0; count < 20; count += 1) await maskCredentials(`push with ${github} failed`);
  expect(performance.getEntries()).toHaveLength(before);
});

it('reads hostile text in linear time', async () => {
  for (const piece of [
    'a-',
    'a.a:',
    '://',
    'authorization:',
    'password="',
    'eyJaaaa.',
    'bearer 1',
  ]) {
    const text = piece.repeat(100_000 / piece.length);
    const begun = process.cpuUsage().user;
    await maskCredentials(text);
    expect(process.cpuUsage(), piece).toSatisfy(
      ({ user }: NodeJS.CpuUsage) => user - begun < 1_000_000,
    );
  }
});
