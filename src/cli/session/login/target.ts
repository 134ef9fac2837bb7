// Decides where `fairlead login` signs in: the address of the command line, the context, or a Fairlead on this machine.

import { shell } from '../../../client/words/shell-word.ts';
import { isLoopback } from '../../../lib/loopback.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import { exchangeHttp } from '../api/transport.ts';
import { readConfig } from '../context/config-file.ts';
import { apiUrl } from '../context/resolve.ts';
import type { Invocation } from '../invocation.ts';
import { apiKey } from './credentials.ts';

export interface LoginTarget {
  readonly url: URL;
  /** Context of the login. */
  readonly name: string;
  /** Whether the context is still to be written. */
  readonly isNew: boolean;
}

const local = 'http://localhost:8000';
const probeMs = 500;

/** @throws CliError when there is no address */
export async function loginTarget(invocation: Invocation): Promise<LoginTarget> {
  const { args, globals } = invocation;
  const address = args[0] ?? globals.text('url');
  if (address !== undefined) return await targetAt(apiUrl(address), invocation);
  try {
    const { url, name } = await invocation.context();
    return name === undefined ? await targetAt(url, invocation) : { url, name, isNew: false };
  } catch (thrown) {
    const { contexts } = await readConfig(invocation.environment);
    if (contexts.size > 0) throw thrown;
    return await targetAt(await localApi(invocation, thrown), invocation);
  }
}

async function targetAt(url: URL, { globals, environment }: Invocation): Promise<LoginTarget> {
  const { contexts, current } = await readConfig(environment);
  const wanted = globals.text('context');
  const isHere = (name: string) => {
    const known = contexts.get(name);
    return known !== undefined && apiKey(apiUrl(known.url)) === apiKey(url);
  };
  if (wanted === undefined) {
    const candidates = [...(current === undefined ? [] : [current]), ...contexts.keys()];
    const known = candidates.find(isHere);
    if (known !== undefined) return { url, name: known, isNew: false };
  }
  const names = wanted === undefined ? namesFor(url) : [wanted];
  const name = names.find((each) => isHere(each) || !contexts.has(each));
  if (name !== undefined) return { url, name, isNew: !isHere(name) };
  const [first = ''] = names;
  throw usageError(
    `The context ${first} has another address, ${contexts.get(first)?.url}.`,
    shell`fairlead login ${apiKey(url)} --context ${first}-2`,
  );
}

/** The second is for another port of a machine that has a context. */
function namesFor(url: URL): readonly string[] {
  const name = isLoopback(url) ? 'local' : url.hostname.replace(/[^A-Za-z0-9.-]/g, '-');
  return url.port === '' ? [name] : [name, `${name}-${url.port}`];
}

/** @returns the address of a Fairlead of `npm start`, if one answers and the person agrees. @throws the reason otherwise */
async function localApi({ questions, signal }: Invocation, reason: unknown): Promise<URL> {
  const url = new URL(local);
  if (!(await isAnswering(url, signal))) throw reason;
  if (!questions.canAsk) {
    throw usageError(
      `No Fairlead is configured, and one answers at ${local}.`,
      shell`fairlead login ${local}`,
    );
  }
  if (await questions.confirm(`A Fairlead answers at ${local}. Sign in there?`)) return url;
  throw reason;
}

async function isAnswering(url: URL, signal: AbortSignal): Promise<boolean> {
  const request = { method: 'GET', url: new URL('/health', url), headers: {}, signal };
  try {
    const { status, body } = await exchangeHttp({ ...request, answerTimeoutMs: probeMs });
    body.resume();
    return status === 200;
  } catch {
    return false;
  }
}
