// `fairlead api`: what is said of a body that the server does not take.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runClient } from '../../../support/clients/client.ts';
import { newFolder } from '../../../support/runner/folder.ts';
import { listening } from '../../../support/servers/listening.ts';

it('speaks of the file, not of a header', async () => {
  const server = createServer((_request, response) => {
    const detail = 'Content-Type must be multipart/form-data with a boundary';
    response.writeHead(415, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ detail, code: 'unsupported_media_type' }));
  });
  const started = await listening(server);
  onTestFinished(started.stop);
  const file = join(newFolder('api-'), 'code.tgz');
  writeFileSync(file, 'x');
  const variables = { FAIRLEAD_TOKEN: 'token', FAIRLEAD_URL: started.url, NO_COLOR: '1' };
  const words = ['api', 'POST', '/providers/shop/push', '--body', file];
  const { code, stderr } = await runClient(words, { variables });
  expect(code).toBe(2);
  expect(stderr).toContain(`The file ${file} is sent as something else than this path takes`);
  expect(stderr).toContain('fairlead push');
  expect(stderr).not.toContain('Content-Type');
});
