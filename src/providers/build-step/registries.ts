// Gives npm the private registries of an organization for one installation, and keeps their tokens out of the log and the result.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createSecretMask, type SecretMask } from '../../domain/secrets/mask-text.ts';
import type { Output } from './child.ts';
import type { BuildFailure } from './reasons.ts';

/** Folder with lines of an `.npmrc` in a file for each scope; it may be missing. */
export type Registries = string;

interface RegistrySurroundings {
  readonly codeFolder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly output: Output;
}

type RegistryRun = (
  changes: Pick<RegistrySurroundings, 'env' | 'output'>,
) => Promise<BuildFailure | undefined>;

export async function withRegistries(
  folder: Registries,
  { codeFolder, env, output }: RegistrySurroundings,
  run: RegistryRun,
): Promise<BuildFailure | undefined> {
  const npmrc = await readRegistries(folder);
  if (npmrc === '') return await run({ env, output });
  const tokens = [...npmrc.matchAll(/:_authToken=(.+)/g)].map(([, token = '']) => token);
  const secrets = createSecretMask(tokens);
  const place = await mkdtemp(join(dirname(codeFolder), '.registries-'));
  const masked = maskedOutput(output, secrets);
  try {
    const file = join(place, 'npmrc');
    await writeFile(file, npmrc, { mode: 0o600 });
    const failure = await run({ env: { ...env, npm_config_userconfig: file }, output: masked });
    return failure && { ...failure, message: secrets.text(failure.message) };
  } finally {
    masked.end();
    // The steps after this one run the author's code in the same workspace.
    await rm(place, { recursive: true, force: true });
  }
}

/** Kubernetes adds links to folders of its own, with names that begin with a dot. */
async function readRegistries(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => !name.startsWith('.')).sort();
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('');
}

/** Passes on whole lines: a token may be in two chunks. */
function maskedOutput(output: Output, secrets: SecretMask) {
  const rest = { stdout: '', stderr: '' };
  const pass = (stream: 'stdout' | 'stderr', text: string) => {
    if (text !== '') output[stream](Buffer.from(secrets.text(text)));
  };
  const take = (stream: 'stdout' | 'stderr') => {
    const decoder = new TextDecoder();
    return (chunk: Buffer) => {
      const text = rest[stream] + decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      rest[stream] = text.slice(end);
      pass(stream, text.slice(0, end));
    };
  };
  return {
    stdout: take('stdout'),
    stderr: take('stderr'),
    /** Passes on what ends without a line break. */
    end() {
      pass('stdout', rest.stdout);
      pass('stderr', rest.stderr);
    },
  };
}
