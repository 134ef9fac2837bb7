// docs/tour.md, command by command: the page shows what each one prints on a terminal.
// `npm test -- --project clients tour -u` rewrites the page.
import { readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClientShell, clientShell } from '../support/clients/client-in-shell.ts';
import { pushExample } from '../support/clients/example-postgres.ts';
import { recordAgain } from '../support/clients/recordings.ts';
import { runInTerminal } from '../support/clients/terminal.ts';
import type { Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';
import { type OwnPostgres, ownPostgres } from '../support/servers/own-postgres.ts';

const page = resolve(import.meta.dirname, '../../docs/tour.md');
const psql = resolve(import.meta.dirname, '../support/clients/psql.ts');
const addressOfPage = 'http://localhost:8000';
const member = { organization: 'acme', role: 'admin' };
const stack = new AsyncDisposableStack();
let fairlead: Fairlead;
let postgres: OwnPostgres;
let shell: ClientShell;
/** Takes longer than the commands of the first sections, which do not need it. */
let pushed: Promise<void>;

beforeAll(async () => {
  fairlead = await sharedFairlead('standard');
  postgres = stack.use(await ownPostgres());
  pushed = pushPostgres();
  shell = stack.use(await clientShell(member));
  await symlink(psql, join(shell.home, 'psql'));
});

afterAll(() => stack.disposeAsync());

/** In a shell of its own: the tour begins before its reader has signed in. */
async function pushPostgres(): Promise<void> {
  await using other = await clientShell(member);
  const { home: folder, variables } = other;
  await runInTerminal(`fairlead login ${fairlead.url}`, { folder, variables });
  await pushExample({ fairlead, shell: other, databaseUrl: postgres.url });
}

async function run(command: string): Promise<string> {
  if (command.includes('postgres')) await pushed;
  const { home, variables } = shell;
  const { screen } = await runInTerminal(command.replaceAll(addressOfPage, fairlead.url), {
    folder: home,
    variables: { ...variables, DATABASE_URL: postgres.url },
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
