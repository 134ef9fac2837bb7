// `fairlead version`: the versions of the client and of the server.
import type { Api } from '../session/api/client.ts';
import { type Context, NothingConfigured } from '../session/context/resolve.ts';
import type { Invocation } from '../session/invocation.ts';
import { metadataPath } from '../session/login/discovery.ts';
import { onlyToken } from '../session/login/tokens.ts';
import { ApiError } from '../terminal/errors/api-error.ts';

export async function version(invocation: Invocation): Promise<void> {
  const { flags, output, version: client } = invocation;
  if (flags.on('client')) {
    if (output.isForPeople) output.line(`fairlead ${client}`);
    else output.json({ client });
    return;
  }
  if (output.isForPeople) output.line(`client  ${client}`);
  const server = await serverIn(invocation);
  if (output.isForPeople) output.line(`server  ${serverText(server)}`);
  else output.json({ client, server: server?.version ?? null });
}

interface VersionServer {
  readonly origin: string;
  readonly version: string | undefined;
}

async function serverIn(invocation: Invocation): Promise<VersionServer | undefined> {
  const context = await configured(invocation);
  if (context === undefined) return undefined;
  const { url } = context;
  return {
    origin: url.origin,
    version: await serverVersion(invocation.apiAt(url, onlyToken(''))),
  };
}

function serverText(server: VersionServer | undefined): string {
  if (server === undefined) return 'none is configured: fairlead login URL';
  return `${server.version ?? 'unknown'} (${server.origin})`;
}

/** @returns where the command works; undefined before the first login */
async function configured(invocation: Invocation): Promise<Context | undefined> {
  try {
    return await invocation.context();
  } catch (thrown) {
    if (thrown instanceof NothingConfigured) return undefined;
    throw thrown;
  }
}

/** @returns the version that the API publishes, undefined when it does not */
export async function serverVersion(api: Api): Promise<string | undefined> {
  // Without a public address the API publishes no metadata, and then its document has the version.
  const places = [metadataPath, '/openapi.json'];
  for (const path of places) {
    const document = await documentAt(api, path);
    const found = document?.fairlead_version ?? document?.info?.['x-fairlead-version'];
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Versioned {
  readonly fairlead_version?: string;
  readonly info?: { readonly 'x-fairlead-version'?: string };
}

async function documentAt(api: Api, path: string): Promise<Versioned | undefined> {
  try {
    const { body } = await api.send({ method: 'GET', path, isPublic: true });
    return JSON.parse(body) as Versioned;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 404) return undefined;
    throw thrown;
  }
}
