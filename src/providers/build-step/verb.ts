// Implements build-step unpack | install | build | publish: runs one step of a build from flags and environment. Its final output is
// one line of JSON for the reader of the pod: {"artifact", "types"} on success, {"code", "message"} on failure.

import { statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FairleadError } from '../../domain/errors.ts';
import type { Output } from './child.ts';
import type { BuildFailureCode } from './failure-codes.ts';
import { createArtifacts, TransferFailure } from './transfer.ts';
import { codeFolderIn } from './workspace.ts';

export const buildStepUsage = `build-step unpack  --workspace DIR --url URL --digest DIGEST
       build-step install --workspace DIR [--registries DIR]
       build-step build   --workspace DIR --provider NAME
       build-step publish --workspace DIR --url URL
       [--message-file FILE]; unpack and publish require FAIRLEAD_ARTIFACTS_TOKEN, publish also FAIRLEAD_TYPES_TOKEN`;

type BuildStepEnvironment = Readonly<Record<string, string | undefined>>;

interface Flags {
  readonly workspace: string;
  readonly url: string | undefined;
  readonly digest: string | undefined;
  readonly provider: string | undefined;
  readonly registries: string | undefined;
  readonly messageFile: string | undefined;
}

interface VerbFailure {
  readonly code: BuildFailureCode;
  readonly message: string;
}

/** Each imports its own code: a step starts in half the time. */
type VerbStep = (flags: Flags, environment: BuildStepEnvironment) => Promise<object>;

type StepName = 'unpack' | 'install' | 'build' | 'publish';

const steps: Readonly<Record<StepName, VerbStep>> = {
  async unpack({ workspace, url, digest }, environment) {
    if (url === undefined || digest === undefined) throw new UsageError();
    const { unpack } = await import('./unpack.ts');
    await unpack({
      workspace,
      digest,
      artifacts: createArtifacts({ url, token: tokenIn(environment, 'FAIRLEAD_ARTIFACTS_TOKEN') }),
    });
    return {};
  },
  async install({ workspace, registries }, environment) {
    const { install } = await import('./build.ts');
    const failure = await install({
      codeFolder: codeFolderIn(workspace),
      env: childEnvironment(environment),
      output: streams,
      registries,
    });
    return failure === undefined ? {} : { code: failure.code, message: failure.message };
  },
  async build({ workspace, provider }, environment) {
    if (provider === undefined) throw new UsageError();
    const { createSchemaSandbox } = await import('../schema-sandbox/index.ts');
    const { build } = await import('./build.ts');
    const sandbox = createSchemaSandbox();
    try {
      const codeFolder = codeFolderIn(workspace);
      const result = await build({
        codeFolder,
        provider,
        env: childEnvironment(environment),
        output: streams,
        sandbox,
      });
      if (result.kind === 'built') return {};
      return { code: result.code, message: result.message };
    } finally {
      await sandbox.close();
    }
  },
  async publish({ workspace, url }, environment) {
    if (url === undefined) throw new UsageError();
    const artifacts = createArtifacts({
      url,
      token: tokenIn(environment, 'FAIRLEAD_ARTIFACTS_TOKEN'),
    });
    const types = createArtifacts({ url, token: tokenIn(environment, 'FAIRLEAD_TYPES_TOKEN') });
    const { publish } = await import('./publish.ts');
    return await publish({ workspace, artifacts, types, output: streams });
  },
};

class UsageError extends Error {}

const streams: Output = {
  stdout: (chunk) => void process.stdout.write(chunk),
  stderr: (chunk) => void process.stderr.write(chunk),
};

/** The default termination message path of Kubernetes. */
const usualMessageFile = '/dev/termination-log';

/** @returns the exit code: 0; 1 when the step failed; 2 for invalid flags */
export async function buildStepVerb(
  argv: readonly string[],
  environment: BuildStepEnvironment,
): Promise<number> {
  const [name = '', ...rest] = argv;
  const flags = flagsFrom(rest);
  if (!isStep(name) || flags === undefined) return misused();
  try {
    const said = await steps[name](flags, environment);
    if ('code' in said) return reportFailure(flags, said as VerbFailure);
    if (Object.keys(said).length > 0) leave(flags, said);
    return 0;
  } catch (thrown) {
    if (thrown instanceof UsageError) return misused();
    return reportFailure(flags, explainFailure(name, thrown));
  }
}

function isStep(name: string): name is StepName {
  return Object.hasOwn(steps, name);
}

function misused(): number {
  process.stderr.write(`Usage: ${buildStepUsage}\n`);
  return 2;
}

/** Writes the sentence to the log, and the line to the termination message. */
function reportFailure(flags: Flags, said: VerbFailure): number {
  process.stderr.write(`${said.message}\n`);
  leave(flags, said);
  return 1;
}

function leave({ messageFile }: Flags, words: object): void {
  const line = JSON.stringify(words);
  const isUsual = statSync(usualMessageFile, { throwIfNoEntry: false })?.isFile() === true;
  const file = messageFile ?? (isUsual ? usualMessageFile : undefined);
  if (file === undefined) process.stdout.write(`${line}\n`);
  else writeFileSync(file, line);
}

function explainFailure(step: StepName, thrown: unknown): VerbFailure {
  const { code } = thrown as { code?: unknown };
  if (thrown instanceof FairleadError) return { code: `${step}_failed`, message: thrown.message };
  if (thrown instanceof TransferFailure) return { code: `${step}_failed`, message: thrown.message };
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return { code: 'disk_full', message: `The build ran out of disk space (${step})` };
  }
  // A bug of ours: the stack helps whoever runs Fairlead.
  process.stderr.write(`${thrown instanceof Error ? thrown.stack : String(thrown)}\n`);
  return {
    code: 'internal',
    message: `The build failed because of an internal error (${step})`,
  };
}

function tokenIn(environment: BuildStepEnvironment, name = 'FAIRLEAD_ARTIFACTS_TOKEN'): string {
  const token = environment[name];
  if (token === undefined) throw new UsageError();
  return token;
}

/** Inherits nothing of ours; `node` is this one; and npm also installs dev dependencies. */
function childEnvironment(environment: BuildStepEnvironment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || name === 'NODE_ENV' || name.startsWith('FAIRLEAD_')) continue;
    kept[name] = value;
  }
  const paths = [dirname(process.execPath), kept['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'];
  return { ...kept, PATH: paths.join(':') };
}

function flagsFrom(argv: readonly string[]): Flags | undefined {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        ...{ workspace: text, url: text, digest: text, provider: text },
        ...{ registries: text, 'message-file': text },
      },
    });
    const { workspace, url, digest, provider, registries, 'message-file': messageFile } = values;
    if (workspace === undefined) return undefined;
    return { workspace: resolve(workspace), url, digest, provider, registries, messageFile };
  } catch {
    return undefined;
  }
}
