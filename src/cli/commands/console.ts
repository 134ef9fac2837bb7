// `fairlead console`: the console in the browser of the person, signed in as the command line is.
import { once } from 'node:events';
import type { Api } from '../api/client.ts';
import { startConsole } from '../console/server.ts';
import { ApiError } from '../errors/api-error.ts';
import { usageError } from '../errors/cli-error.ts';
import { lacksPath, olderServer } from '../errors/older-server.ts';
import type { Invocation } from '../invocation.ts';
import { hasBrowser, openBrowser } from '../login/open-browser.ts';
import { oneLine } from '../render/width.ts';

export async function openConsole(invocation: Invocation): Promise<undefined> {
  const { environment, flags, output, signal, talk } = invocation;
  const port = portIn(flags.text('port'));
  const api = await invocation.api();
  const { display, organization_id: organization, role } = await api.get('getMe', {});
  await requireConsole(api);
  const server = await startConsole(api, port);
  try {
    const isOpen = flags.on('browser') && hasBrowser(environment);
    talk.note(oneLine(`The console of ${organization} as ${display} (${role}). Ctrl-C ends it.`));
    output.line(server.url.href);
    if (isOpen) await openBrowser(server.url, environment);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    server.close();
  }
  return undefined;
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
    if (thrown instanceof ApiError && lacksPath(thrown)) {
      throw olderServer('console', 'See what it offers: fairlead help');
    }
    throw thrown;
  }
}
