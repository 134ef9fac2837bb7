// `fairlead dev`: checks the handlers of a provider on every save, shows its types and what changed in their schemas, and pushes
// on request.
import { watch } from 'node:fs';
import { elapsed } from '../../../client/time.ts';
import { type Checked, checkProvider } from '../../providers/dev/check.ts';
import type { CheckedType, CheckReport } from '../../providers/dev/check-program.ts';
import type { Round } from '../../providers/dev/unchanged.ts';
import { isSkipped } from '../../providers/pack/candidates.ts';
import { packageRoot } from '../../providers/pack/manifest.ts';
import { localSettingsFile } from '../../providers/pack/secrets.ts';
import { abortablePause } from '../../session/api/retry.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { linesOfError } from '../../terminal/errors/present.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import { Flags } from '../../terminal/flags.ts';
import { signOf } from '../../terminal/style.ts';

/** Editors write a file in several steps. */
const settleMs = 150;

export async function dev(invocation: Invocation): Promise<ExitCode | undefined> {
  const { args, environment, flags } = invocation;
  const root = packageRoot(args[0], environment);
  if (!flags.on('once')) return await onEverySave(invocation, root);
  const { passed } = await checkAndPush(invocation, root, undefined);
  return passed ? undefined : ExitCode.failed;
}

/** Ends with Ctrl-C, and nothing else. */
async function onEverySave(invocation: Invocation, root: string): Promise<never> {
  const { signal, talk } = invocation;
  for (let last: Round | undefined; ; ) {
    const saved = nextSave(root, signal);
    // It is awaited after the round, which Ctrl-C ends too.
    saved.catch(() => undefined);
    try {
      ({ last } = await checkAndPush(invocation, root, last));
    } catch (thrown) {
      if (signal.aborted || !(thrown instanceof CliError)) throw thrown;
      talk.lines(linesOfError(thrown, talk));
    }
    talk.note('Waiting for changes (Ctrl-C ends)');
    await saved;
    await abortablePause(settleMs, signal);
  }
}

/** @returns whether every check passed, and what the next round begins from */
async function checkAndPush(
  invocation: Invocation,
  root: string,
  before: Round | undefined,
): Promise<{ passed: boolean; last: Round | undefined }> {
  const { report, round } = await checkOnce(invocation, root, before);
  const passed =
    'types' in report && report.types.every(({ problems }) => (problems ?? []).length === 0);
  if (passed && invocation.flags.on('push')) await pushFrom(invocation, root);
  // Code that cannot be imported is compared with what was checked before it.
  return { passed, last: round ?? before };
}

/** Begins to watch at once, so that a save during a round is not missed. */
function nextSave(root: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const watcher = watch(root, { recursive: true }, (_, path) => {
      if (path !== null && isSkipped(path.replaceAll('\\', '/'))) return;
      watcher.close();
      resolve();
    });
    watcher.once('error', reject);
    signal.addEventListener(
      'abort',
      () => {
        watcher.close();
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });
}

/** Checks what changed since the last round, and shows the result. */
async function checkOnce(
  { environment, output, signal, talk }: Invocation,
  root: string,
  before: Round | undefined,
): Promise<Checked> {
  const checked = await checkProvider(root, before, {
    environment,
    signal,
    print: (text) => talk.note(text),
  });
  if (!output.isForPeople) output.json(checked.report);
  else
    for (const line of reportLines(checked.report, before, (state) => signOf(state, output.style)))
      output.line(line);
  return checked;
}

function reportLines(
  report: CheckReport,
  before: Round | undefined,
  sign: (state: string) => string,
): readonly string[] {
  if ('failure' in report) return [`${sign('failed')} ${report.failure}`];
  const { provider, types, missingSettings } = report;
  const names = new Set(types.map(({ resource }) => resource));
  const schemas = new Map(before?.types.map(({ resource, schema }) => [resource, schema]));
  const removed = [...schemas.keys()].filter((name) => !names.has(name));
  return [
    ...types.flatMap((type) => [
      `${sign(checkState(type))} ${provider}/${type.resource}  ${checkSummary(type)}`,
      ...(type.problems ?? []).map((problem) => `    ${problem}`),
      ...(schemas.has(type.resource)
        ? schemaChanges(schemas.get(type.resource), type.schema).map((change) => `    ${change}`)
        : []),
    ]),
    ...removed.map((name) => `- ${provider}/${name}`),
    ...(missingSettings.length === 0 ? [] : [settingsAdvice(missingSettings)]),
  ];
}

function settingsAdvice(missing: readonly string[]): string {
  const lines = missing.map((name) => `"${name}: …"`).join(', ');
  return `Checks read settings from ${localSettingsFile} beside package.json; add ${lines}. It is never uploaded.`;
}

function checkState({ problems }: CheckedType): string {
  if (problems === null) return 'draft';
  return problems.length === 0 ? 'done' : 'failed';
}

function checkSummary({ resource, problems, isSkipped, ms }: CheckedType): string {
  if (problems === null) return `not checked: it has no example (${resource}.example.yaml)`;
  if (problems.length > 0) return 'breaks its promises:';
  return isSkipped ? 'unchanged' : elapsed(ms);
}

async function pushFrom(invocation: Invocation, root: string): Promise<void> {
  const [{ push }, { providerCommands }] = [
    await import('./push.ts'),
    await import('../table/providers.ts'),
  ];
  const declared = providerCommands.find(({ words }) => words[0] === 'push')?.flags ?? [];
  await push({ ...invocation, args: [root], flags: new Flags(declared, {}) });
}

// Compares two JSON Schemas field by field, in the signs of a plan: + added, - removed, ~ changed.

/** @returns one line for each difference, such as `~ properties.size.maximum: 10 → 20` */
export function schemaChanges(before: unknown, after: unknown): readonly string[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  return paths.flatMap((path) => {
    const [left, right] = [old.get(path), now.get(path)];
    if (left === right) return [];
    if (left === undefined) return [`+ ${path}: ${right}`];
    if (right === undefined) return [`- ${path}: ${left}`];
    return [`~ ${path}: ${left} → ${right}`];
  });
}

/** @returns the values that are no objects, as JSON, by their path */
function leavesOf(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Map([[path, JSON.stringify(value)]]);
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return new Map([[path, '{}']]);
  return new Map(
    entries.flatMap(([name, each]) => [...leavesOf(each, path === '' ? name : `${path}.${name}`)]),
  );
}
