// The environment of a shell in which `fairlead` is the bundled client, with a home folder of its own and a browser that signs in.
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { browserVariables } from './browser.ts';
import { bundledClient } from './client.ts';

export interface ClientShell extends AsyncDisposable {
  /** The home folder. */
  readonly home: string;
  readonly variables: Readonly<Record<string, string>>;
}

const browser = resolve(import.meta.dirname, 'browser.ts');

/** @param identity that the browser chooses at the development issuer */
export async function clientShell(identity: {
  readonly organization: string;
  readonly role: string;
}): Promise<ClientShell> {
  const home = await mkdtemp(join(tmpdir(), 'fairlead-shell-'));
  await symlink(await bundledClient(), join(home, 'fairlead'));
  const path = [home, dirname(process.execPath), process.env['PATH'] ?? ''];
  return {
    home,
    variables: {
      HOME: home,
      PATH: path.join(delimiter),
      BROWSER: browser,
      LANG: 'C.UTF-8',
      [browserVariables.organization]: identity.organization,
      [browserVariables.role]: identity.role,
    },
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}
