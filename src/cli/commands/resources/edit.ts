// `fairlead edit`: opens the config of a resource in an editor, and applies the saved file unless the resource was changed meanwhile.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ResourceRecord } from '../../../api/shapes.ts';
import { differencesOf } from '../../../client/differences.ts';
import { allOptions, declaredOptions } from '../../../client/resource-options.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { isTuple, slashed } from '../../../domain/identity.ts';
import { canonicalJson } from '../../../lib/json.ts';
import { applyRequest } from '../../resources/apply/check.ts';
import { settledRecords } from '../../resources/apply/outcome.ts';
import { refusalError } from '../../resources/apply/refusal.ts';
import type { SentDeclaration } from '../../resources/apply/send.ts';
import { type Declaration, declarationsIn } from '../../resources/declarations/declaration.ts';
import { editedSource } from '../../resources/declarations/source.ts';
import { oneResource } from '../../resources/find.ts';
import { recordDeclaration, resourceView } from '../../resources/resource-view.ts';
import type { RecordVersion } from '../../resources/versions.ts';
import type { Api } from '../../session/api/client.ts';
import type { Invocation } from '../../session/invocation.ts';
import { variableIn } from '../../terminal/environment.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import { yamlOf } from '../../terminal/yaml.ts';

export async function edit(invocation: Invocation): Promise<void> {
  const { args, flags, output, talk } = invocation;
  const { id } = oneResource(args[0] ?? '');
  const api = await invocation.api();
  const before = await readRecord(api, id);
  const file = await written(before.record);
  await openEditor(invocation, file);
  let sent: SentDeclaration | undefined;
  try {
    const declaration = await edited(file, before.record);
    if (!matchesRecord(before.record, declaration)) {
      const record = await save(api, before, { declaration, isDryRun: flags.on('dry-run') });
      const checked = { declaration, change: 'update', record, etag: before.etag } as const;
      sent = { checked, change: 'update', record };
    }
  } catch (thrown) {
    if (thrown instanceof CliError) throw kept(thrown, file);
    throw thrown;
  }
  rmSync(dirname(file), { recursive: true, force: true });
  if (sent === undefined) talk.note(`${slashed(before.record)} is unchanged.`);
  else if (flags.on('dry-run')) await output.record(sent.record, resourceView);
  else await showSettled(invocation, sent);
}

/** The saved text is applied now: no error after it keeps the text. */
async function showSettled(invocation: Invocation, sent: SentDeclaration): Promise<void> {
  const { record } = sent;
  const { records, error, isShown } = await settledRecords(invocation, [sent], []);
  if (!isShown) await invocation.output.record(records.get(record.id) ?? record, resourceView);
  if (error !== undefined) throw error;
}

async function readRecord(api: Api, id: string): Promise<RecordVersion> {
  const { body, headers } = await api.request('getResource', { path: { resource_id: id } });
  // The name becomes that of a file, and of a folder that is removed.
  if (!isTuple(body)) {
    throw new CliError(`${api.url.origin} answered with a name that no resource can have.`, {
      exit: ExitCode.unreachable,
    });
  }
  return { record: body, etag: headers.etag };
}

/** Only the owner may read it: a config may hold secrets. */
async function written(record: ResourceRecord): Promise<string> {
  const { project: _, ...declaration } = recordDeclaration(record);
  const file = join(mkdtempSync(join(tmpdir(), 'fairlead-edit-')), `${record.name}.yaml`);
  const head = `# ${slashed(record)}: save to apply, leave unchanged to cancel.\n`;
  writeFileSync(file, head + (await yamlOf(declaration)), { mode: 0o600 });
  return file;
}

async function openEditor({ environment, signal }: Invocation, file: string): Promise<void> {
  const editor = variableIn(environment, 'VISUAL') ?? variableIn(environment, 'EDITOR') ?? 'vi';
  const { spawn } = process.getBuiltinModule('node:child_process');
  // The variable may hold arguments, such as `code --wait`, so a shell reads it; the file is an argument of the shell.
  const child =
    environment.platform === 'win32'
      ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true, signal })
      : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'fairlead', file], { stdio: 'inherit', signal });
  const code = await new Promise<number | null>((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  if (code !== 0) {
    throw usageError(
      `The editor ended with ${code ?? 'a signal'}, so nothing was applied.`,
      `Your text: ${file}`,
    );
  }
}

async function edited(file: string, record: ResourceRecord): Promise<Declaration> {
  const { provider, resource, name, project_id, type_version } = record;
  const text = readFileSync(file, 'utf8');
  if (text.trim() === '') throw usageError('The file is empty, so nothing was applied.');
  const [declaration, ...more] = await declarationsIn([editedSource(basename(file), text)]);
  const ref = slashed({ provider, resource, name });
  if (declaration === undefined || more.length > 0 || declaration.ref !== ref) {
    throw usageError(`The file must declare ${ref} and nothing else.`);
  }
  // A member that was removed from the file is to be removed: an apply would leave it. The text shows the config in its version.
  const kept = {
    ...{ tags: null, dependencies: [] },
    ...(type_version == null ? {} : { type_version }),
    ...(record.adopt == null ? {} : { adopt: null }),
    ...declaration.body,
  };
  const body = { ...kept, ...allOptions(kept), project_id };
  return { ...declaration, body };
}

function matchesRecord(record: ResourceRecord, { body }: Declaration): boolean {
  return differencesOf(record, body, { schema: undefined, shown: true }).length === 0;
}

async function save(
  api: Api,
  { record, etag }: RecordVersion,
  change: { declaration: Declaration; isDryRun: boolean },
): Promise<ResourceRecord> {
  const { declaration, isDryRun } = change;
  const request = applyRequest(
    etag === undefined ? declaration : { ...declaration, ifMatch: etag },
  );
  const query = isDryRun ? { dry_run: true } : {};
  try {
    return await api.call('applyResource', { ...request, query });
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    if (thrown.status !== 412) {
      const again = { ...declaration, again: ['-f', 'FILE'] };
      throw await refusalError([{ declaration: again, error: thrown }], {
        api,
        total: 1,
        nothing: '',
      });
    }
    const now = await readRecord(api, declaration.ref);
    // Progress of its provider also makes a new version; only another apply matters.
    if (isSameDeclaration(record, now.record) && now.etag !== etag)
      return await save(api, now, change);
    throw new CliError(`${declaration.ref} was changed while you edited it.`, {
      exit: ExitCode.conflict,
      next: `fairlead diff -f FILE`,
    });
  }
}

function isSameDeclaration(left: ResourceRecord, right: ResourceRecord): boolean {
  return canonicalJson(declarationText(left)) === canonicalJson(declarationText(right));
}

function declarationText({ config, tags, dependencies, ...others }: ResourceRecord) {
  const options = declaredOptions(others);
  const { adopt = null } = others;
  return { config, tags: tags ?? [], dependencies: dependencies.map(slashed), adopt, ...options };
}

/** The text that people typed is not lost. */
function kept(error: CliError, file: string): CliError {
  const text = shell`Your text is kept: fairlead apply -f ${file}`;
  const { next } = error;
  return error.with({
    next: next === undefined ? text : `${next.replaceAll('FILE', file)}  ${text}`,
  });
}
