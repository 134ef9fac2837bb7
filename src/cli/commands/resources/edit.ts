// `fairlead edit`: opens the config of a resource in an editor, and applies the saved file unless the resource was changed meanwhile.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { MemberPlan, ResourceRecord } from '../../../api/shapes.ts';
import { allOptions } from '../../../client/resource-options.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { isTuple, slashed } from '../../../domain/identity.ts';
import { acceptedPlan, applyAll } from '../../resources/apply/batch.ts';
import { resultsOf, settledMembers } from '../../resources/apply/outcome.ts';
import { type Declaration, declarationsIn } from '../../resources/declarations/declaration.ts';
import { editedSource } from '../../resources/declarations/source.ts';
import { oneResource } from '../../resources/find.ts';
import { recordDeclaration, resourceView } from '../../resources/resource-view.ts';
import { isSameDeclaration, type RecordVersion } from '../../resources/versions.ts';
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
  const { file, text } = await written(before.record);
  await openEditor(invocation, file);
  let saved: MemberPlan | undefined;
  try {
    if (readFileSync(file, 'utf8') !== text) {
      saved = await save(invocation, before, await edited(file, before.record));
    }
  } catch (thrown) {
    if (thrown instanceof CliError) throw kept(thrown, file);
    throw thrown;
  }
  rmSync(dirname(file), { recursive: true, force: true });
  const { change = 'none', record = null } = saved ?? {};
  if (saved === undefined || change === 'none' || record === null) {
    talk.note(`${slashed(before.record)} is unchanged.`);
  } else if (flags.on('dry-run')) await output.record(record, resourceView);
  else await showSettled(invocation, saved);
}

/** The saved text is applied now: no error after it keeps the text. */
async function showSettled(invocation: Invocation, saved: MemberPlan): Promise<void> {
  const settled = await settledMembers(invocation, [saved], {});
  for (const { record } of resultsOf([saved], settled)) {
    if (record !== null && !settled.isShown) await invocation.output.record(record, resourceView);
  }
  if (settled.error !== undefined) throw settled.error;
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
async function written(record: ResourceRecord): Promise<{ file: string; text: string }> {
  const { project: _, ...declaration } = recordDeclaration(record);
  const file = join(mkdtempSync(join(tmpdir(), 'fairlead-edit-')), `${record.name}.yaml`);
  const head = `# ${slashed(record)}: save to apply, leave unchanged to cancel.\n`;
  const text = head + (await yamlOf(declaration));
  writeFileSync(file, text, { mode: 0o600 });
  return { file, text };
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

async function save(
  invocation: Invocation,
  { record, etag }: RecordVersion,
  declaration: Declaration,
): Promise<MemberPlan | undefined> {
  const version = etag === undefined ? {} : { ifMatch: etag };
  const declarations = [{ ...declaration, ...version, again: ['-f', 'FILE'] }];
  try {
    const send = invocation.flags.on('dry-run') ? acceptedPlan : applyAll;
    const { members } = await send(invocation, { declarations });
    return members[0];
  } catch (thrown) {
    if (!isOtherVersion(thrown)) throw thrown;
    const now = await readRecord(await invocation.api(), declaration.ref);
    // Progress of its provider also makes a new version; only another apply matters.
    if (isSameDeclaration(record, now.record) && now.etag !== etag)
      return await save(invocation, now, declaration);
    throw new CliError(`${declaration.ref} was changed while you edited it.`, {
      exit: ExitCode.conflict,
      next: `fairlead diff -f FILE`,
    });
  }
}

function isOtherVersion(thrown: unknown): boolean {
  const error = thrown instanceof CliError && thrown.cause ? thrown.cause : thrown;
  return error instanceof ApiError && error.code === 'precondition_failed';
}

/** The text that people typed is not lost. */
function kept(error: CliError, file: string): CliError {
  const text = shell`Your text is kept: fairlead apply -f ${file}`;
  const { next } = error;
  return error.with({
    next: next === undefined ? text : `${next.replaceAll('FILE', file)}  ${text}`,
  });
}
