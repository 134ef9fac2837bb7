// `fairlead api`: what is said of a body that the server does not take.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startAnswering } from '../../../support/clients/answering.ts';
import { newFolder } from '../../../support/runner/folder.ts';

it('speaks of the file, not of a header', async () => {
  const detail = 'Content-Type must be multipart/form-data with a boundary';
  const answer = { status: 415, body: { detail, code: 'unsupported_media_type' } };
  const started = await startAnswering(() => answer);
  onTestFinished(started.stop);
  const file = join(newFolder('api-'), 'code.tgz');
  writeFileSync(file, 'x');
  const { code, stderr } = await started.client(`api POST /providers/shop/push --body ${file}`);
  expect(code).toBe(2);
  expect(stderr).toContain(`The file ${file} is sent as something else than this path takes`);
  expect(stderr).toContain('fairlead push');
  expect(stderr).not.toContain('Content-Type');
});
