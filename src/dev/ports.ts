// Decides on which ports of 127.0.0.1 the programs of development listen. Nobody types those of the metrics and of the listener for
// pods, so they are moved when they are taken; the others are named together, with the command that takes free ones.
import { createServer } from 'node:net';
import type { PortName, Ports } from '../app/config/ports.ts';
import { StartError } from '../domain/errors.ts';

interface WantedPorts extends Ports {
  readonly givenPorts: readonly PortName[];
}

/** How the program was started. */
interface StartCommand {
  /** Such as `npm start --`. */
  readonly script: string;
  /** The flags that were given, by name. */
  readonly flags: Readonly<Record<string, string | undefined>>;
}

interface Use {
  readonly what: string;
  /** The flag that sets the port in a command, or a variable before the command. */
  readonly flag?: string;
  readonly variable?: string;
}

const uses: Readonly<Record<PortName, Use>> = {
  port: { what: 'the API', flag: 'port' },
  issuerPort: { what: 'the issuer', flag: 'issuer-port' },
  internalPort: { what: 'the listener for pods', variable: 'FAIRLEAD_INTERNAL_PORT' },
  metricsPort: { what: 'the metrics endpoint', variable: 'FAIRLEAD_METRICS_PORT' },
};

const names = Object.keys(uses) as PortName[];

/** @throws StartError that names every port that is taken, and ends with a command that starts */
export async function choosePorts(wanted: WantedPorts, start: StartCommand): Promise<Ports> {
  const { givenPorts, port, issuerPort } = wanted;
  const isFixed = (name: PortName) =>
    name === 'port' || name === 'issuerPort' || givenPorts.includes(name);
  const taken: PortName[] = [];
  for (const name of names.filter(isFixed)) {
    if (!(await isFree(wanted[name]))) taken.push(name);
  }
  if (taken.length > 0) {
    throw new StartError(
      `${takenSentence(taken, wanted)} ${await commandWithout(taken, wanted, start)}`,
    );
  }
  const used = [port, issuerPort, ...givenPorts.map((name) => wanted[name])];
  const next = async (name: PortName) => {
    const found = givenPorts.includes(name) ? wanted[name] : await firstFree(wanted[name], used);
    used.push(found);
    return found;
  };
  const internalPort = await next('internalPort');
  return { port, issuerPort, internalPort, metricsPort: await next('metricsPort') };
}

function takenSentence(taken: readonly PortName[], wanted: Ports): string {
  const each = taken.map((name) => `${wanted[name]} (${uses[name].what})`);
  return each.length === 1
    ? `Port ${each[0]} is taken by another program. Choose another:`
    : `Ports ${each.slice(0, -1).join(', ')} and ${each.at(-1)} are taken by other programs. Choose others:`;
}

/** @returns the command of this start, with free ports instead of those that are taken */
async function commandWithout(
  taken: readonly PortName[],
  wanted: WantedPorts,
  { script, flags }: StartCommand,
): Promise<string> {
  const variables: string[] = [];
  const now: Record<string, string | undefined> = { ...flags };
  for (const [name, port] of await freeInstead(taken, wanted)) {
    const { flag, variable } = uses[name];
    if (flag !== undefined) now[flag] = String(port);
    else variables.push(`${variable}=${port}`);
  }
  const words = Object.entries(now).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${shellQuoted(value)}`],
  );
  const call = words.length === 0 ? script.replace(/ --$/, '') : script;
  return [...variables, call, ...words].join(' ');
}

async function freeInstead(
  taken: readonly PortName[],
  wanted: WantedPorts,
): Promise<ReadonlyMap<PortName, number>> {
  const follows = !wanted.givenPorts.includes('issuerPort');
  const free = new Map<PortName, number>();
  if (taken.includes('port') || (follows && taken.includes('issuerPort')))
    free.set('port', await freePair(wanted.port));
  for (const name of taken) {
    if (name === 'port' || (name === 'issuerPort' && follows)) continue;
    free.set(name, await firstFree(wanted[name], [wanted.port, ...free.values()]));
  }
  return free;
}

function shellQuoted(text: string): string {
  return /^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A hundred apart, so that people recognise them. @returns a port that is free, as is the next */
async function freePair(after: number): Promise<number> {
  const first = after < 60_000 ? after - (after % 100) + 100 : 8_100;
  for (let port = first; port < 65_000; port += 100) {
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
  throw new StartError('No two ports side by side are free on 127.0.0.1');
}

/** The first free one of neighbours: the same one after a restart, as pods of providers have it in their environment. */
async function firstFree(from: number, used: readonly number[]): Promise<number> {
  for (let port = from; port <= 65_535; port += 1) {
    if (!used.includes(port) && (await isFree(port))) return port;
  }
  return await freePort();
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** @returns a free port of 127.0.0.1 */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string')
    throw new StartError('No port is free on 127.0.0.1');
  return address.port;
}
