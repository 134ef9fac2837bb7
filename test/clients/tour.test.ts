// docs/tour.md, command by command: the page shows what each one prints on a terminal.
// `npm test -- --project clients tour -u` rewrites the page.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClientShell, clientShell } from '../support/clients/client-in-shell.ts';
import { recordAgain } from '../support/clients/recordings.ts';
import { runInTerminal } from '../support/clients/terminal.ts';
import type { Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/shared-fairlead.ts';

const page = resolve(import.meta.dirname, '../../docs/tour.md');
const addressOfPage = 'http://localhost:8000';
let fairlead: Fairlead;
let shell: ClientShell;

beforeAll(async () => {
  fairlead = await sharedFairlead('standard');
  shell = await clientShell({ organization: 'acme', role: 'admin' });
});

afterAll(() => shell?.remove());

async function run(command: string): Promise<string> {
  const { home, variables } = shell;
  const { screen } = await runInTerminal(command.replaceAll(addressOfPage, fairlead.url), {
    folder: home,
    variables,
    answers: [[/\[y\/N\] ?$/, 'y']],
  });
  return screen
    .replaceAll(fairlead.url, addressOfPage)
    .replaceAll(`:${fairlead.place.ports[1]}`, ':8001')
    .replaceAll(/\/auth\?\S+/g, '/auth?client_id=fairlead-cli&…')
    .replaceAll(home, '~');
}

// The pseudo-terminal is that of util-linux.
it.runIf(process.platform === 'linux')('prints on a terminal what the tour shows', async () => {
  const recorded = await recordAgain(await readFile(page, 'utf8'), run);
  await expect(recorded).toMatchFileSnapshot(page);
});
