// Packages the chart as two releases: the current one, and a next one whose definition of Resource has one more field.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { chartFolder } from '../../../packaging/helm.ts';
import type { Installation } from './installation.ts';

/** Later than any present one. */
export const nextVersion = '99.0.0';
export const newField = { name: 'note', path: '.spec.note' } as const;

export interface Packages extends AsyncDisposable {
  readonly present: string;
  readonly next: string;
}

/** Both use the current image. */
export async function packages(at: Installation): Promise<Packages> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-packages-'));
  const source = join(folder, 'next', 'fairlead');
  await cp(chartFolder, source, { recursive: true });
  const definitions = join(source, 'templates', 'generated-crds.yaml');
  await writeFile(definitions, withNewField(await readFile(definitions, 'utf8')));
  await at.helm('package', chartFolder, '--destination', folder);
  await at.helm('package', source, '--destination', folder, '--version', nextVersion);
  return {
    present: join(folder, `fairlead-${manifest.version}.tgz`),
    next: join(folder, `fairlead-${nextVersion}.tgz`),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

function withNewField(definitions: string): string {
  const { name } = newField;
  const changed = definitions.replace(
    // Of all definitions, only that of Resource has this field.
    /^( +)paused:\n/m,
    `$1${name}:\n$1  type: string\n$1  maxLength: 64\n$1paused:\n`,
  );
  if (changed === definitions) throw new Error('The definition of Resource has no place for it');
  return changed;
}
