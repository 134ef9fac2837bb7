// Runs builds as in a pod: with the real npm and a registry of their own, isolated from this machine, with all output
// captured.
import { dirname } from 'node:path';
import {
  type BuildOptions,
  type BuildResult,
  build,
} from '../../src/providers/build-step/build.ts';
import { createSchemaSandbox } from '../../src/providers/schema-sandbox/index.ts';
import { bareEnvironment } from './compile-cache.ts';
import { type NpmRegistry, startNpmRegistry } from './npm-registry.ts';

let sandbox = createSchemaSandbox();
let registry: Promise<NpmRegistry> | undefined;

/** Call after the tests of a file; the next file in this process uses others. */
export async function closeBuilds(): Promise<void> {
  const [closing, listening] = [sandbox, registry];
  sandbox = createSchemaSandbox();
  registry = undefined;
  await closing.close();
  await (await listening)?.[Symbol.asyncDispose]();
}

/** Our Node, and the machine's npm. */
const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;

/** The only registry of these builds: it has `is-number` 7.0.0 and what is installed in this checkout. */
export function buildRegistry(): Promise<NpmRegistry> {
  registry ??= startNpmRegistry([{ name: 'is-number', version: '7.0.0' }]);
  return registry;
}

/** The environment of a build in a pod. */
export async function buildEnvironment(): Promise<Readonly<Record<string, string>>> {
  return { ...bareEnvironment, PATH, npm_config_registry: (await buildRegistry()).url };
}

export interface Built {
  readonly result: BuildResult;
  readonly output: string;
  readonly code: string;
}

export async function runBuild(
  folder: { code: string },
  changes: Partial<BuildOptions> = {},
): Promise<Built> {
  const chunks: Buffer[] = [];
  const take = (chunk: Buffer) => void chunks.push(chunk);
  const result = await build({
    codeFolder: folder.code,
    provider: 'shop',
    env: await buildEnvironment(),
    output: { stdout: take, stderr: take },
    sandbox,
    ...changes,
  });
  return { result, output: Buffer.concat(chunks).toString(), code: folder.code };
}
