// Runs the provider beside a Fairlead on this machine, with a PostgreSQL, its types, and a Provider that points here.
// With --push, Fairlead builds and runs it instead, and only PostgreSQL stays here.
// Address, organization and token are those of the command-line client: run `npx fairlead login` before.
// Settings: DATABASE_URL (another PostgreSQL), FAIRLEAD_DATA (the data folder of Fairlead), PORT (of the provider).
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join as joinPath, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { registrationsOf, serve } from 'fairlead/provider';
import { deploy } from './deploy.ts';
import { join, type Membership, pointAt, register, requireNotPushed } from './fairlead.ts';
import { startPostgres } from './local-postgres.ts';
import { pack } from './pack.ts';
import { postgres, providerName } from './provider.ts';
import { keepSecret } from './secret.ts';
import type { Server } from './server.ts';

interface Place {
  readonly dataFolder: string;
  readonly member: Membership;
  readonly server: Server;
}

async function main(stack: AsyncDisposableStack, stop: AbortSignal): Promise<void> {
  const { values } = parseArgs({ options: { push: { type: 'boolean', default: false } } });
  const { env } = process;
  const dataFolder = resolve(env['FAIRLEAD_DATA'] ?? '.fairlead');
  const folder = joinPath(dataFolder, 'postgres');
  const member = await join();
  // Before PostgreSQL starts: deletions that wait for it would be carried out.
  if (!values.push) await requireNotPushed(member.url, member.token, providerName);
  const secret = await keepSecret(folder);
  const server = { url: await databaseUrl(stack, folder), secret };
  const place = { dataFolder, member, server };
  console.log(values.push ? await runThere(place, stop) : await runHere(stack, place));
  // What was pushed on top of a PostgreSQL that runs elsewhere leaves nothing here to wait for.
  if (values.push && databaseElsewhere() !== undefined) return;
  await aborted(stop);
  console.log('\nStopping …');
}

async function runHere(stack: AsyncDisposableStack, place: Place): Promise<string> {
  const { dataFolder, member, server } = place;
  const { url, organization, namespace } = member;
  const served = await serve(postgres, {
    settings: { ...server },
    fairlead: url,
    port: Number(process.env['PORT'] ?? 0),
    organizations: [organization],
  });
  stack.defer(() => served.close());
  for (const type of registrationsOf(postgres)) await register(url, member.token, type);
  const target = { namespace, provider: providerName, endpoint: served.url };
  const pointer = await pointAt(joinPath(dataFolder, 'kubeconfig'), target);
  // Told first, so that no event is sent to a closed door. A Fairlead that is gone already asks again when it is back.
  stack.defer(() => pointer.remove().catch(() => undefined));
  return greeting(
    place,
    `on ${served.url}`,
    'Ctrl-C stops the provider; the data is kept, and resources wait until it runs again.',
  );
}

async function runThere(place: Place, signal: AbortSignal): Promise<string> {
  const { member, server } = place;
  const code = { provider: providerName, archive: await pack(), settings: { ...server } };
  const print = (text: string) => process.stdout.write(text);
  print(`Fairlead builds ${providerName}; build log:\n`);
  const version = await deploy(member, code, { print, signal });
  const end =
    databaseElsewhere() === undefined
      ? 'Ctrl-C stops PostgreSQL; the provider and all data are kept. Start it again (npm run example:postgres -- --push) before you change or delete resources.'
      : '';
  return greeting(place, `in Fairlead, as version ${version}`, end);
}

async function databaseUrl(stack: AsyncDisposableStack, folder: string): Promise<string> {
  const given = databaseElsewhere();
  if (given !== undefined) return given;
  const local = await startPostgres(folder);
  stack.defer(() => local.stop());
  // For psql.
  await writeFile(joinPath(folder, 'url'), `${local.url}\n`, { mode: 0o600 });
  return local.url;
}

function databaseElsewhere(): string | undefined {
  return process.env['DATABASE_URL'];
}

function greeting({ member: { organization } }: Place, where: string, end: string): string {
  return `
Provider ${providerName} serves ${organization} ${where}: postgres/database and postgres/role.

  npx fairlead apply -f examples/shop --wait
  npx fairlead outputs postgres/database/shop url

${end}`;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());
try {
  await using stack = new AsyncDisposableStack();
  await main(stack, stop.signal);
} catch (thrown) {
  if (!stop.signal.aborted) {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    process.exitCode = 1;
  }
}
