// Checks of `fairlead doctor` that ask the API and the issuer.
import type { Api } from '../../session/api/client.ts';
import { discoverClients } from '../../session/login/discovery.ts';
import { openIssuer } from '../../session/login/issuer.ts';
import type { Environment } from '../../terminal/environment.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

const maxSkewSeconds = 30;

/** @returns how quickly the API answers. @throws CliError */
export async function healthText(api: Api): Promise<string> {
  const startedAt = performance.now();
  await api.send({ method: 'GET', path: '/health', isPublic: true });
  const ms = Math.round(performance.now() - startedAt);
  return `${api.url.origin} answers in ${ms} ms`;
}

/** Tokens are compared with clocks, so a wrong one makes good tokens invalid. @throws CliError */
export async function clockText(api: Api, { now }: Environment): Promise<string> {
  const { headers } = await api.send({ method: 'GET', path: '/health', isPublic: true });
  const { date } = headers;
  if (date === undefined) return 'the server sends no time';
  const seconds = Math.round((now().getTime() - Date.parse(date)) / 1_000);
  if (Math.abs(seconds) <= maxSkewSeconds) return 'agrees with that of the server';
  const difference = `${Math.abs(seconds)}s ${seconds > 0 ? 'ahead of' : 'behind'}`;
  throw new CliError(`The clock of this machine is ${difference} that of the server.`, {
    exit: ExitCode.failed,
    next: 'Set the clock, for example with NTP.',
  });
}

/** @returns the issuers that answer. @throws CliError for the first that does not */
export async function issuerText(api: Api): Promise<string> {
  const clients = await discoverClients(api);
  for (const client of clients) await openIssuer(client);
  return clients.map(({ issuer, clientId }) => `${issuer} (client ${clientId})`).join(', ');
}
