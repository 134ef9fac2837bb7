// `fairlead init`: writes the files of a new provider. It needs no network and no login.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { shell } from '../../../client/words/shell-word.ts';
import { providerPattern } from '../../../domain/identity.ts';
import { exampleType, filesOfProvider } from '../../providers/scaffold/files.ts';
import { linkFrom, ownPackage } from '../../providers/scaffold/own-package.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

export function init(invocation: Invocation): Promise<void> {
  const { args, flags, environment, output, talk } = invocation;
  const [name = ''] = args;
  if (!providerPattern.test(name)) {
    throw usageError(
      `The name of a provider has lower-case letters, digits and dashes (at most 40), not "${name}".`,
    );
  }
  const folder = resolve(environment.folder, flags.text('dir') ?? name);
  requireEmpty(folder);
  const files = flags.on('dry-run') ? filesOfProvider(name, undefined) : createFiles(folder, name);
  const shown = relative(environment.folder, folder) || '.';
  if (output.isForPeople) {
    for (const file of files.keys()) output.line(join(shown, file));
  } else output.json({ provider: name, folder, files: [...files.keys()] });
  if (flags.on('dry-run')) talk.note('Nothing was written.');
  else for (const line of firstSteps(shown)) talk.note(line);
  return Promise.resolve();
}

/** Existing files are never overwritten; a new repository is empty. */
function requireEmpty(folder: string): void {
  const found = folderEntries(folder).filter((entry) => entry !== '.git');
  if (found.length === 0) return;
  throw new CliError(`${folder} is not empty.`, {
    exit: ExitCode.conflict,
    facts: found.slice(0, 5),
    next: 'Another folder: fairlead init NAME --dir FOLDER',
  });
}

function folderEntries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw usageError(`The folder cannot be read: ${message}.`);
  }
}

function createFiles(folder: string, name: string): ReadonlyMap<string, string> {
  try {
    mkdirSync(folder, { recursive: true });
    const own = ownPackage();
    const files = filesOfProvider(name, own === undefined ? undefined : linkFrom(folder, own));
    for (const [file, content] of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), content, { flag: 'wx' });
    }
    return files;
  } catch (thrown) {
    throw usageError(`The files cannot be written: ${(thrown as Error).message}.`);
  }
}

function firstSteps(folder: string): readonly string[] {
  return [
    'Next:',
    ...(folder === '.' ? [] : [`  cd ${folder}`]),
    '  npm install && npm test',
    '  npm run push',
    shell`  fairlead apply -f ${exampleType}.example.yaml`,
  ];
}
