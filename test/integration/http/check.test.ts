// The verb that `helm test` runs, against the real service.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkService } from '../../../src/app/check.ts';
import { freePort } from '../../support/runner/free-port.ts';
import { type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let folder: string;

beforeAll(async () => {
  api = await serveApi();
  folder = await mkdtemp(join(tmpdir(), 'fairlead-check-'));
});

afterAll(async () => {
  await api?.close();
  await rm(folder, { recursive: true, force: true });
});

async function checked(...flags: string[]) {
  const lines: string[] = [];
  const url = `http://127.0.0.1:${api.port}`;
  const well = await checkService(['--url', url, ...flags], (line) => lines.push(line));
  return { well, lines };
}

async function tokenFile(claims: Record<string, unknown>): Promise<string> {
  const file = join(folder, 'token');
  await writeFile(file, `${await api.issuer.token(claims)}\n`);
  return file;
}

it('checks only readiness without a token, and reports it', async () => {
  const { well, lines } = await checked();
  expect(well).toBe(true);
  expect(lines.at(-1)).toMatch(/no token file: skipped the draft/);
});

it('applies, reads and deletes a draft with a token, and leaves nothing behind', async () => {
  const file = await tokenFile({ org_id: 'check' });
  const { well, lines } = await checked('--token-file', file);
  expect(lines.join('\n')).not.toMatch(/FAILED/);
  expect(well).toBe(true);
  const caller = await api.caller('check');
  expect((await caller.get('/resources/')).body).toEqual([]);
});

it('fails with the response when the token may not write', async () => {
  const file = await tokenFile({ org_id: 'check', roles: ['viewer'] });
  const { well, lines } = await checked('--token-file', file);
  expect(well).toBe(false);
  expect(lines.at(-1)).toMatch(/^FAILED .*answered 403 instead of/);
});

it('fails within its timeout when nothing listens, with the last error', async () => {
  const lines: string[] = [];
  const flags = ['--url', `http://127.0.0.1:${await freePort()}`, '--timeout', '0.2'];
  expect(await checkService(flags, (line) => lines.push(line))).toBe(false);
  expect(lines).toEqual([expect.stringMatching(/not ready in 0\.2 s: .*ECONNREFUSED/)]);
});
