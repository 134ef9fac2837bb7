// Runs builds as in a pod: with the real npm and a registry, isolated from this machine, with all output captured.
import { dirname } from 'node:path';
import {
  type BuildOptions,
  type BuildResult,
  build,
} from '../../src/providers/build-step/build.ts';
import { createSchemaSandbox } from '../../src/providers/schema-sandbox/index.ts';

let sandbox = createSchemaSandbox();

/** Call after the tests of a file; the next file in this process uses another one. */
export async function closeSandbox(): Promise<void> {
  const closing = sandbox;
  sandbox = createSchemaSandbox();
  await closing.close();
}

/** Our Node, and the machine's npm. */
export const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
/** The variables that npm needs to reach a registry. */
export const proxies = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(?:https?|no)_proxy$|^NODE_EXTRA_CA/i.test(name),
  ),
) as Record<string, string>;

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
    env: { PATH, ...proxies },
    output: { stdout: take, stderr: take },
    sandbox,
    ...changes,
  });
  return { result, output: Buffer.concat(chunks).toString(), code: folder.code };
}
