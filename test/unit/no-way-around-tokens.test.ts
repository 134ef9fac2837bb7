// Nothing switches tokens off: no setting, no flag, and no way for what is made for development to leave this machine.
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../src/app/config/index.ts';
import { importsOf } from '../support/runner/architecture.ts';

const root = join(import.meta.dirname, '../..');
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: root }).map((path) => ({
    path: relative(root, join(root, path)),
    text: readFileSync(join(root, path), 'utf8'),
  }));

const switches =
  /\b\w*(?:(?:NO|SKIP|DISABLE|INSECURE|ALLOW_?ALL)_?AUTH|(?:SKIP|DISABLE)_?TOKEN|AUTH\w*_?(?:OFF|DISABLED|ENABLED|MODE)|ANONYM)\w*/gi;

it('[T16] finds no setting, value or flag that disables tokens', () => {
  const files = [
    ...filesOf('src/**/*.ts'),
    ...filesOf('charts/**/*.{yaml,yml,tpl,json}'),
    ...filesOf('manifests/**/*.{yaml,yml}'),
    ...filesOf('Dockerfile'),
    ...filesOf('README.md'),
    ...filesOf('docs/*.md'),
  ];
  expect(files.length).toBeGreaterThan(100);
  // The only such option restricts access: kube-apiserver rejects requests without a token.
  const closed = "'--anonymous-auth=false'";
  const found = files.flatMap(({ path, text }) =>
    [...text.replace(closed, '').matchAll(switches)].map(([name]) => `${path}: ${name}`),
  );
  expect(found).toEqual([]);
});

it('[T16] detects one', () => {
  for (const name of [
    'FAIRLEAD_NO_AUTH',
    'disableAuth',
    'auth.enabled',
    'allowAnonymous',
    'AUTH_MODE',
  ]) {
    expect(name.replace('.', '_'), name).toMatch(switches);
  }
});

it('[T16] finds the issuer without authentication in development and evaluation only', () => {
  const starters = filesOf('src/**/*.ts').filter(
    ({ path, text }) =>
      !path.startsWith('src/issuer/') &&
      importsOf(text).some((specifier) => specifier.includes('issuer/server')),
  );
  expect(starters.map(({ path }) => path).sort()).toEqual([
    'src/app/development.ts',
    'src/app/evaluation.ts',
  ]);
});

it.each([
  '0.0.0.0',
  '::',
  '[::]',
  '192.168.1.1',
  '127.0.0.1.id.test',
  'localhost.',
  '*',
  ' ',
  '127.0.0.2',
])('[T16] rejects %j as the address of development', (host) => {
  expect(() => loadConfig([], { FAIRLEAD_HOST: host })).toThrow(ConfigError);
});
