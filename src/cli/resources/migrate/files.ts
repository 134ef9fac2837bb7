// `fairlead migrate -f`: brings the configs in files into the newest version of their types. All documents are migrated before the
// first file is written.

import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { counted } from '../../../client/time.ts';
import { typeName } from '../../../domain/identity.ts';
import { type DiffLine, lineDiff } from '../../../lib/line-diff.ts';
import { inParallel } from '../../session/api/parallel.ts';
import { withRequestProgress } from '../../session/api/request-progress.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { View } from '../../terminal/output.ts';
import { type Refusal, requireAccepted } from '../apply/refusal.ts';
import { type Declaration, readDeclarations, type Written } from '../declarations/declaration.ts';
import { readingFor } from '../declarations/folder.ts';
import { requireNone } from '../declarations/problem.ts';
import { typeNamed } from '../type-named.ts';
import { type ConfigMigration, migrationOf } from './migration.ts';
import { rewritten, type ValueEdit } from './rewrite.ts';

interface MigratedDeclaration {
  readonly declaration: Declaration;
  readonly migration: ConfigMigration;
}

/** One document, for programs and for the table. */
interface MigrationRow {
  readonly resource: string;
  readonly place: string;
  readonly from: number;
  readonly to: number;
  readonly result: 'migrated' | 'unchanged';
}

const rowView: View<MigrationRow> = {
  columns: [
    { title: 'RESOURCE', cell: ({ resource }) => resource },
    { title: 'VERSION', cell: ({ from, to }) => (from === to ? `${to}` : `${from} → ${to}`) },
    { title: 'RESULT', cell: ({ result }) => result },
    { title: 'PLACE', cell: ({ place }) => place },
  ],
  nameOf: ({ resource }) => resource,
};

export async function migrateFiles(invocation: Invocation): Promise<void> {
  const { flags, environment, output, talk } = invocation;
  const files = flags.texts('file');
  if (files.includes('-')) throw usageError('migrate rewrites files, and standard input is none.');
  const declarations = await readDeclarations(files, environment, readingFor(invocation));
  const migrated = await migrateAll(invocation, declarations);
  const replacements = await replacementsFor(migrated, environment.folder);
  const isDryRun = flags.on('dry-run');
  if (!isDryRun) for (const each of replacements) replaceFile(each);
  if (isDryRun && output.isForPeople) {
    for (const each of replacements) showDifference(invocation, each);
  } else await output.list(migrated.map(rowFor), rowView);
  if (output.isForPeople) talk.note(summary(migrated, replacements, isDryRun));
}

/** @throws CliError when a document cannot be migrated */
async function migrateAll(
  invocation: Invocation,
  declarations: readonly Declaration[],
): Promise<readonly MigratedDeclaration[]> {
  const api = await invocation.api();
  const types = await api.list('listTypes', {});
  const requests = { word: 'migrated', total: declarations.length };
  const results = await withRequestProgress(invocation, requests, (done) =>
    inParallel(declarations, async (declaration): Promise<MigratedDeclaration | Refusal> => {
      const { config, type_version: from } = declaration.body;
      try {
        const type = typeNamed(types, typeName(declaration.body));
        const wanted = { type, config, from: from ?? undefined };
        if (from === type.type_version) {
          return { declaration, migration: { from, to: from, config } };
        }
        return { declaration, migration: await migrationOf(api, wanted) };
      } catch (thrown) {
        if (thrown instanceof CliError) return { declaration, error: thrown };
        throw thrown;
      } finally {
        done();
      }
    }),
  );
  const refusals = results.filter((each) => 'error' in each);
  const total = declarations.length;
  await requireAccepted(refusals, { api, total, nothing: 'Nothing was written.' });
  return results.filter((each) => 'migration' in each);
}

function isMigrated({ migration: { from, to } }: MigratedDeclaration): boolean {
  return from !== to;
}

function rowFor(migrated: MigratedDeclaration): MigrationRow {
  const { declaration, migration } = migrated;
  const { from, to } = migration;
  const result = isMigrated(migrated) ? 'migrated' : 'unchanged';
  return { resource: declaration.ref, place: declaration.place, from, to, result };
}

/** @throws CliError with the documents that cannot be rewritten */
async function replacementsFor(
  migrated: readonly MigratedDeclaration[],
  folder: string,
): Promise<readonly FileReplacement[]> {
  const byFile = new Map<string, { written: Written; items: MigratedDeclaration[] }>();
  for (const each of migrated.filter(isMigrated)) {
    const { written } = each.declaration;
    if (written === undefined) continue;
    const known = byFile.get(written.source.name) ?? { written, items: [] };
    known.items.push(each);
    byFile.set(written.source.name, known);
  }
  const problems: { place: string; field: string; message: string }[] = [];
  const replacements: FileReplacement[] = [];
  for (const [name, { written, items }] of byFile) {
    const before = written.source.text;
    try {
      const after = await rewritten(before, items.flatMap(editsFor));
      replacements.push({ name, path: resolve(folder, name), before, after });
    } catch (thrown) {
      const { place = name } = items[0]?.declaration ?? {};
      problems.push({ place, field: 'config', message: (thrown as Error).message });
    }
  }
  requireNone(problems, 'Nothing was written.');
  return replacements;
}

function editsFor({
  declaration: { written, body },
  migration,
}: MigratedDeclaration): readonly ValueEdit[] {
  if (written === undefined) return [];
  const { document } = written;
  const config = {
    document,
    path: written.pathOf(['config']),
    value: migration.config,
    before: body.config,
  };
  const { type_version: from } = body;
  if (from === undefined || from === null) return [config];
  const version = { value: migration.to, before: from };
  return [config, { document, path: written.pathOf(['type_version']), ...version }];
}

function showDifference({ output }: Invocation, { name, before, after }: FileReplacement): void {
  const { style } = output;
  output.line(style.paint('bold', name));
  for (const { sign, text } of lineDiff(before, after)) {
    output.line(style.paint(colours[sign], `${sign} ${text}`.trimEnd()));
  }
}

const colours: Readonly<Record<DiffLine['sign'], 'green' | 'red' | 'dim'>> = {
  '+': 'green',
  '-': 'red',
  ' ': 'dim',
  '…': 'dim',
};

function summary(
  migrated: readonly MigratedDeclaration[],
  replacements: readonly FileReplacement[],
  isDryRun: boolean,
): string {
  const count = migrated.filter(isMigrated).length;
  if (count === 0) {
    return `${counted(migrated.length, 'document has', 'documents have')} the newest version.`;
  }
  const documents = `${counted(count, 'document')} of ${migrated.length}`;
  const files = counted(replacements.length, 'file');
  return isDryRun
    ? `Nothing was written: ${documents} in ${files} would be migrated.`
    : `${documents} in ${files} migrated.`;
}

// Replaces the content of a file as a whole: a crash leaves the old one or the new one.

interface FileReplacement {
  /** For people. */
  readonly name: string;
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** @throws CliError when somebody else has changed the file since it was read */
function replaceFile({ name, path, before, after }: FileReplacement): void {
  // A link stays one.
  const file = realpathSync(path);
  if (readFileSync(file, 'utf8') !== before) {
    throw new CliError(`${name} has changed while it was migrated, and was not written.`, {
      exit: ExitCode.conflict,
      next: 'Run the same command again.',
    });
  }
  const beside = join(dirname(file), `.fairlead-${randomUUID()}`);
  try {
    writeFileSync(beside, after, { flag: 'wx' });
    chmodSync(beside, statSync(file).mode);
    renameSync(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
}
