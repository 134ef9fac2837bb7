// `fairlead console`: the console in the browser of the person, signed in as the command line is.
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { safeLine } from '../../client/width.ts';
import type { Api } from '../session/api/client.ts';
import { startConsole } from '../session/console/server.ts';
import { stateFolder } from '../session/context/places.ts';
import type { Invocation } from '../session/invocation.ts';
import { hasBrowser, isWsl, openBrowser } from '../session/login/open-browser.ts';
import type { Environment } from '../terminal/environment.ts';
import { ApiError } from '../terminal/errors/api-error.ts';
import { CliError, usageError } from '../terminal/errors/cli-error.ts';
import { ExitCode } from '../terminal/exit-codes.ts';

export async function openConsole(invocation: Invocation): Promise<void> {
  const { environment, flags, output, signal, talk } = invocation;
  const port = portIn(flags.text('port'));
  const api = await invocation.api();
  const { display, organization_id: organization, role } = await api.call('getMe', {});
  await requireConsole(api);
  const server = await startConsole(api, port);
  const file = flags.on('browser') ? redirectTo(server.url, environment) : undefined;
  void server.opened.then(() => file?.remove());
  try {
    talk.note(safeLine(`The console of ${organization} as ${display} (${role}). Ctrl-C ends it.`));
    const isOpen = file !== undefined && (await openBrowser(file.url, environment));
    // A browser in a sandbox may be unable to read the file. Elsewhere than on a terminal the address would stay in a log.
    if (!isOpen || output.isTerminal) output.line(server.url.href);
    const ended = signal.aborted ? Promise.resolve() : once(signal, 'abort');
    await Promise.race([ended, server.openedAgain.then(endForAnother)]);
  } finally {
    server.close();
    file?.remove();
  }
}

/** @returns undefined where no browser can open a file of this system */
function redirectTo(url: URL, environment: Environment): RedirectFile | undefined {
  return hasBrowser(environment) && !isWsl() ? writeRedirect(url, environment) : undefined;
}

function endForAnother(): never {
  throw new CliError(
    'The address of the console was opened a second time, so somebody else may know it: the console has ended.',
    { exit: ExitCode.notAllowed, next: 'fairlead console' },
  );
}

function portIn(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw usageError(`The port must be a number from 1 to 65535, is "${text}".`);
}

/** @throws CliError when the server has no console */
async function requireConsole(api: Api): Promise<void> {
  try {
    await api.send({ method: 'GET', path: '/console', isPublic: true });
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.code === 'not_found') {
      throw usageError('The server has no console.', 'See what it offers: fairlead help');
    }
    throw thrown;
  }
}

// Leads a browser to an address that no other user may see: the arguments of a process are public, so the browser gets a file.

interface RedirectFile {
  readonly url: URL;
  /** Does nothing the second time. */
  remove(): void;
}

/** @returns undefined where it cannot be written: then the person opens the address */
function writeRedirect(address: URL, environment: Environment): RedirectFile | undefined {
  try {
    const parent = stateFolder(environment);
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    // mkdtemp makes a folder that only its owner can enter.
    const folder = mkdtempSync(join(parent, 'console-'));
    chmodSync(folder, 0o700);
    const path = join(folder, 'open.html');
    writeFileSync(path, pageFor(address), { mode: 0o600, flag: 'wx' });
    return {
      url: pathToFileURL(path),
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  } catch {
    return undefined;
  }
}

/** @param address without characters that mean something in HTML */
function pageFor({ href }: URL): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${href}">
<title>Fairlead</title>
<p><a href="${href}">Open the console</a></p>
</html>
`;
}
