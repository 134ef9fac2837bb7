import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../src/api/shapes.ts';
import { startAnswering } from '../../../../support/clients/answering.ts';
import { answeredBatch } from '../../../../support/clients/batches.ts';
import { newHome, runClient } from '../../../../support/clients/client.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';
import { newFolder } from '../../../../support/runner/folder.ts';

const secret = {
  provider: 'pragma',
  resource: 'secret',
  config: { data: { a: '@/proc/self/environ', b: '@note.txt', c: '!env FAIRLEAD_TOKEN' } },
};

let url: string;
let sent: string[];
let record: ResourceRecord;

beforeEach(async () => {
  sent = [];
  record = resourceRecord('shared', secret);
  const started = await startAnswering((asked) => {
    const { method, path } = asked;
    if (method === 'GET') return { headers: { etag: '"1"' }, body: record };
    sent.push(`${method} ${path}`);
    const { id } = record;
    const resource = 'pragma/secret/shared';
    return answeredBatch(asked, () => ({ resource, id, change: 'update', record }));
  });
  url = started.url;
  return started.stop;
});

/** @param script for sh, with the file as $1 */
async function edit(script: string, flags: readonly string[] = []) {
  const home = newHome();
  const editor = join(home, 'editor');
  writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const variables = { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: url, EDITOR: editor };
  return await runClient(['edit', 'pragma/secret/shared', ...flags], { home, variables });
}

it('[C01] sends nothing when an editor leaves a record with @path as it is', async () => {
  expect(await edit('true')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'pragma/secret/shared is unchanged.\n',
  });
  expect(sent).toEqual([]);
});

it.each([
  ['!file note.txt', '!file is not read in an editor'],
  ['!env FAIRLEAD_TOKEN', '!env is not read in an editor'],
])('[C01] inserts nothing for %s in an editor', async (value, message) => {
  const { code, stderr } = await edit(`sed -i 's|a: .*|a: ${value}|' "$1"`);
  expect({ code, sent }).toEqual({ code: 2, sent: [] });
  expect(stderr).toMatch(/shared\.yaml:5:\d+ +config\.data\.a /);
  expect(stderr).toContain(message);
});

it('[C01] writes no file where the name in an answer leads, and removes no folder there', async () => {
  const folder = newFolder('victim-');
  writeFileSync(join(folder, 'kept'), '');
  record = resourceRecord(`../${basename(folder)}/x`, secret);
  const { code, stderr } = await edit('true');
  expect(readdirSync(folder)).toEqual(['kept']);
  expect({ code, sent }).toEqual({ code: 8, sent: [] });
  expect(stderr).toContain('answered with a name that no resource can have');
});

it.each([
  ['ready', 0, /^pragma\/secret\/shared +✓ ready/m, ''],
  ['failed', 1, /✗ failed +.*ProviderFailed/, /^Error: pragma\/secret\/shared is not ready\./m],
] as const)('[F26] waits, and shows that the resource is %s', async (state, code, row, error) => {
  const id = 'resource:pragma_secret_shared';
  const pending = { ...secret, id, config: { a: 1 }, lifecycle_state: 'pending' } as const;
  record = resourceRecord('shared', pending);
  const settling = setInterval(() => {
    if (sent.length === 0) return;
    const reason = state === 'failed' ? 'ProviderFailed' : 'Processed';
    record = { ...record, lifecycle_state: state, reason };
  }, 20);
  const result = await edit(`sed -i 's|a: 1|a: 2|' "$1"`, ['--wait']);
  clearInterval(settling);
  expect({ code: result.code, sent }).toEqual({ code, sent: ['POST /resources/batch'] });
  expect(result.stdout).toMatch(row);
  expect(result.stderr).toMatch(error);
  // It was applied.
  expect(result.stderr).not.toContain('Your text is kept');
});
