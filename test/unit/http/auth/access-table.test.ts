// The table of docs/authentication.md and the document say what the rules say, and every endpoint has a rule.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { operations } from '../../../../src/api/operations.ts';
import { ruleOf } from '../../../../src/api/permissions.ts';
import {
  accessTable,
  documentedEndpoints,
  withAccessTable,
} from '../../../../src/http/auth/access-table.ts';
import { openApiDocument } from '../../../../src/http/openapi.ts';

const endpoints = documentedEndpoints();
const page = readFileSync(join(import.meta.dirname, '../../../../docs/authentication.md'), 'utf8');

/** Public endpoints. Every other endpoint needs a token and a rule. */
const open = new Set([
  'GET /health',
  'GET /livez',
  'GET /readyz',
  'GET /.well-known/jwks.json',
  'GET /.well-known/oauth-protected-resource',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/{file}',
]);

it('[T12] has a rule for every endpoint, and public access only where intended', () => {
  expect(endpoints.length).toBeGreaterThan(30);
  for (const { method, path, access } of endpoints) {
    const name = `${method} ${path}`;
    expect(access === 'public', name).toBe(open.has(name));
    if (access !== 'public') expect(ruleOf(access), name).toBeDefined();
  }
});

it('implements every operation once', () => {
  const pages = ['getConsole', 'getConsoleFile', 'getConsoleSettings'];
  const ids = [...endpoints.map(({ id }) => id), ...pages];
  expect(ids.sort()).toEqual(Object.keys(operations).sort());
});

it('has the table of docs/authentication.md as it is generated', () => {
  expect(withAccessTable(page, accessTable(endpoints))).toBe(page);
});

it('rejects a docs/authentication.md without a place for the table', () => {
  expect(() => withAccessTable('# Fairlead\n', '')).toThrow(TypeError);
});

it('documents the rules in OpenAPI', () => {
  const { paths } = openApiDocument(endpoints, '0.0.0-test') as {
    paths: Record<string, Record<string, { security: unknown; description?: string }>>;
  };
  for (const { method, path, access } of endpoints) {
    const operation = paths[path]?.[method.toLowerCase()];
    if (access === 'public') {
      expect(operation?.security).toEqual([]);
      continue;
    }
    const { role, inProject } = ruleOf(access);
    expect(operation?.security).toEqual([{ bearer: [role] }]);
    const confined = inProject ? 'permits it inside that project' : 'does not permit it';
    expect(operation?.description).toContain(`Requires the role ${role}; a token`);
    expect(operation?.description).toContain(confined);
  }
});
