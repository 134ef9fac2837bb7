// Checks before the installation what npm finds out late, or not at all: the version of Node.js, and whether the registry answers.
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, jsonIn } from '../../lib/json.ts';
import { satisfies } from '../../lib/version-range.ts';
import { type BuildFailure, codedFailure } from './reasons.ts';

type PreflightEnvironment = Readonly<Record<string, string>>;

/** @param development whether development dependencies are installed. @returns why an installation cannot succeed */
export async function preflight(
  codeFolder: string,
  env: PreflightEnvironment,
  development: boolean,
): Promise<BuildFailure | undefined> {
  const textOf = async (name: string) =>
    await readFile(join(codeFolder, name), 'utf8').catch(() => undefined);
  const manifest = jsonIn(((await textOf('package.json')) ?? '').replace(/^\uFEFF/, ''));
  // npm itself reports an invalid manifest.
  if (!isJsonObject(manifest)) return undefined;
  const engine = engineProblem(objectMember(manifest, 'engines')['node']);
  if (engine !== undefined) return engine;
  const kinds = [
    'dependencies',
    'optionalDependencies',
    ...(development ? ['devDependencies'] : []),
  ];
  const specs = kinds.flatMap((kind) => Object.values(objectMember(manifest, kind)));
  if (!specs.some((spec) => /^(?![a-z+]+:)/.test(String(spec)))) return undefined;
  const lock = (await textOf('npm-shrinkwrap.json')) ?? (await textOf('package-lock.json'));
  return await registryProblem({ env, npmrc: (await textOf('.npmrc')) ?? '', lock });
}

function objectMember(manifest: JsonObject, name: string): JsonObject {
  const value = manifest[name];
  return isJsonObject(value) ? value : {};
}

/** npm only warns. */
function engineProblem(range: unknown): BuildFailure | undefined {
  const version = process.versions.node;
  if (typeof range !== 'string' || satisfies(version, range) !== false) return undefined;
  return codedFailure(
    'unsupported_engine',
    `package.json requires Node.js ${range} (engines.node), and Fairlead runs Node.js ${version}; change the range, or use a Fairlead with such a version`,
  );
}

const publicRegistry = 'https://registry.npmjs.org/';
const connectMs = 10_000;

interface RegistryQuestion {
  readonly env: PreflightEnvironment;
  /** Text of `.npmrc` in the code. */
  readonly npmrc: string;
  /** Text of the lock file; undefined without one. */
  readonly lock: string | undefined;
}

/** npm itself gives a registry that does not answer minutes. Without a connection, no package of it can be installed. */
async function registryProblem(question: RegistryQuestion): Promise<BuildFailure | undefined> {
  const { env, npmrc } = question;
  // A proxy reaches what this process does not.
  if (
    Object.keys(env).some((name) => /^(?!.*no_?proxy).*proxy/i.test(name)) ||
    /proxy/i.test(npmrc)
  )
    return undefined;
  const places = [...new Set(registryOrigins(question))].slice(0, 5);
  const silent = await Promise.all(
    places.map(async (place) => ((await answers(place)) ? [] : [place])),
  );
  const [first] = silent.flat();
  return first === undefined
    ? undefined
    : codedFailure('registry_unreachable', `The npm registry is unreachable (${first})`);
}

/** @returns origins that the installation needs. npm takes a lock file's addresses of the public registry for the configured one */
function registryOrigins({ env, npmrc, lock }: RegistryQuestion): readonly string[] {
  const named = /^\s*registry\s*=\s*(\S+)/m.exec(npmrc)?.[1];
  const registry = env['npm_config_registry'] ?? named ?? publicRegistry;
  const origin = (address: string) => (URL.canParse(address) ? [new URL(address).origin] : []);
  if (lock === undefined) return origin(registry);
  const addresses = [...lock.matchAll(/"resolved": "(https?:[^"]+)"/g)].map(
    ([, address = '']) => address,
  );
  return addresses.flatMap((address) =>
    origin(address.startsWith(publicRegistry) ? registry : address),
  );
}

function answers(origin: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  return new Promise((resolve) => {
    const end = (isThere: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isThere);
    };
    const timer = setTimeout(() => end(false), connectMs);
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
