// Runs the provider beside a Fairlead on this machine: a PostgreSQL, the types, and a Provider that points here.
// Settings: DATABASE_URL (another PostgreSQL), FAIRLEAD_URL, FAIRLEAD_DATA, ORGANIZATION, PORT.
import { join as joinPath, resolve } from 'node:path';
import { registrationsOf, serve } from 'fairlead/provider';
import { join, pointAt, register, requireFairlead } from './fairlead.ts';
import { startPostgres } from './local-postgres.ts';
import { postgres, providerName } from './provider.ts';
import { keepSecret } from './secret.ts';

async function main(stack: AsyncDisposableStack, stop: Promise<void>): Promise<void> {
  const { env } = process;
  const url = env['FAIRLEAD_URL'] ?? 'http://localhost:8000';
  const dataFolder = resolve(env['FAIRLEAD_DATA'] ?? '.fairlead');
  const organization = env['ORGANIZATION'] ?? 'acme';
  const folder = joinPath(dataFolder, 'postgres');
  await requireFairlead(url);
  const secret = await keepSecret(folder);
  const server = { url: await databaseUrl(stack, folder), secret };
  const provider = postgres(server);
  const { namespace, token } = await join(url, organization);
  const served = await serve(provider, {
    fairlead: url,
    port: Number(env['PORT'] ?? 0),
    organizations: [organization],
  });
  stack.defer(() => served.close());
  for (const type of registrationsOf(provider)) await register(url, token, type);
  const target = { namespace, provider: providerName, endpoint: served.url };
  const pointer = await pointAt(joinPath(dataFolder, 'kubeconfig'), target);
  // Told first, so that no event is sent to a closed door. A Fairlead that is gone already asks again when it is back.
  stack.defer(() => pointer.remove().catch(() => undefined));
  console.log(greeting(organization, url, served.url));
  await stop;
  console.log('\nStopping …');
}

async function databaseUrl(stack: AsyncDisposableStack, folder: string): Promise<string> {
  const given = process.env['DATABASE_URL'];
  if (given !== undefined) return given;
  const local = await startPostgres(folder);
  stack.defer(() => local.stop());
  return local.url;
}

function greeting(organization: string, url: string, endpoint: string): string {
  return `
Provider ${providerName} serves ${organization} on ${endpoint}: postgres/database and postgres/role.

  TOKEN=$(npm run --silent token -- --org ${organization})
  curl -s ${url}/resources/apply -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
    -d '{"provider":"postgres","resource":"database","name":"orders","config":{"name":"orders"},"lifecycle_state":"pending"}'
  curl -s ${url}/resources/postgres:database:orders -H "Authorization: Bearer $TOKEN"

Ctrl-C stops it; data stay, and resources wait for it.
`;
}

const stop = new Promise<void>((resolved) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolved());
});
try {
  await using stack = new AsyncDisposableStack();
  await main(stack, stop);
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
}
