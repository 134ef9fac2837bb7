// `fairlead version`: the versions of the client and of the server.
import type { Invocation } from '../invocation.ts';

export async function version(invocation: Invocation): Promise<undefined> {
  const { flags, output, version: client } = invocation;
  if (flags.on('client')) {
    if (output.isForPeople) output.line(`fairlead ${client}`);
    else output.json({ client });
    return undefined;
  }
  const server = await serverVersion(invocation);
  if (!output.isForPeople) output.json({ client, server: server ?? null });
  else {
    output.line(`client  ${client}`);
    output.line(`server  ${server ?? 'unknown'}`);
  }
  return undefined;
}

async function serverVersion({ api }: Invocation): Promise<string | undefined> {
  const signed = await api();
  const { body } = await signed.send({ method: 'GET', path: '/openapi.json', isPublic: true });
  const { info } = JSON.parse(body) as { info?: { version?: string } };
  return info?.version;
}
