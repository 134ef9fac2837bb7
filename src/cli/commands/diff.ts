// `fairlead diff`: shows what an apply of files would change, field by field.
import type { ResourceRecord } from '../../api/shapes.ts';
import { type Difference, differencesOf } from '../../client/differences.ts';
import { counted } from '../../client/time.ts';
import { schemasOfType } from '../../client/type-schemas.ts';
import { oneLine } from '../../client/width.ts';
import type { Api } from '../api/client.ts';
import { checkAll } from '../apply/check.ts';
import { refusalError } from '../apply/refusal.ts';
import { ApiError } from '../errors/api-error.ts';
import { lacksPath } from '../errors/older-server.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { inParallel } from '../parallel.ts';
import type { Colour, Style } from '../render/style.ts';
import { declared } from './apply.ts';

const atOnce = 8;

interface Compared {
  readonly resource: string;
  readonly change: string;
  readonly differences: readonly Difference[];
  /** The resources that use it: they are updated when an output changes. */
  readonly users: readonly string[];
}

export async function diff(invocation: Invocation): Promise<ExitCode | undefined> {
  const { flags, output, talk } = invocation;
  const declarations = await declared(invocation);
  const api = await invocation.api();
  const options = { concurrency: atOnce, whenIdle: true, headers: {} };
  const { checked, refusals } = await checkAll(invocation, declarations, options);
  const [first, ...rest] = refusals;
  if (first !== undefined) {
    throw await refusalError([first, ...rest], { api, total: declarations.length, nothing: '' });
  }
  const schemas = flags.on('show-secrets') ? undefined : await schemasOf(api);
  const compared = await inParallel(
    checked,
    atOnce,
    async ({ declaration: { ref, body }, change, record }) => {
      const before = change === 'none' ? record : await currentRecord(api, ref);
      // The default project of a new resource is no difference that a file makes.
      const after = { ...(record ?? body), project_id: body.project_id ?? '' };
      const schema = schemas?.get(`${body.provider}/${body.resource}`)?.config;
      const differences = differencesOf(before, after, { schema, shown: schemas === undefined });
      const made = changeOf(change, { before, differences });
      const users = made === 'update' ? await usersOf(api, ref) : [];
      return { resource: ref, change: made, differences, users };
    },
  );
  if (output.isForPeople) {
    for (const each of compared) for (const line of linesOf(each, output.style)) output.line(line);
    talk.note(changesSummary(compared));
  } else output.json(compared);
  const isDifferent = compared.some(({ change }) => change !== 'none');
  return isDifferent && flags.on('exit-code') ? ExitCode.different : undefined;
}

/** The change is unknown on a server that cannot check; a busy resource is updated later. */
function changeOf(
  change: string,
  {
    before,
    differences,
  }: { before: ResourceRecord | undefined; differences: readonly Difference[] },
): string {
  if (change !== 'unknown' && change !== 'busy') return change;
  if (before === undefined) return 'create';
  return differences.length === 0 ? 'none' : 'update';
}

async function schemasOf(api: Api) {
  const types = await api.list('listTypes', {});
  return new Map(types.map((each) => [`${each.provider}/${each.resource}`, schemasOfType(each)]));
}

async function currentRecord(api: Api, ref: string): Promise<ResourceRecord | undefined> {
  try {
    return await api.call('getResource', { path: { resource_id: ref } });
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.code === 'resource_not_found') return undefined;
    throw thrown;
  }
}

async function usersOf(api: Api, ref: string): Promise<readonly string[]> {
  try {
    return (await api.call('explainResource', { path: { resource_id: ref } })).users;
  } catch (thrown) {
    if (lacksPath(thrown)) return [];
    throw thrown;
  }
}

const signs: Readonly<Record<string, readonly [string, Colour]>> = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  tags: ['~', 'yellow'],
  retry: ['!', 'yellow'],
};

function linesOf({ resource, change, differences, users }: Compared, style: Style): string[] {
  const [sign, colour] = signs[change] ?? [' ', 'dim' as const];
  if (change === 'none') return [];
  const note = change === 'retry' ? '  failed, and would be processed again' : '';
  return [
    style.paint(colour, `${sign} ${resource}${note}`),
    ...differences.map((each) => `    ${differenceLine(each, style)}`),
    ...(users.length === 0
      ? []
      : [`    used by ${users.join(', ')}: updated when an output changes`]),
  ];
}

function differenceLine({ path, before, after }: Difference, style: Style): string {
  if (before === undefined) return style.paint('green', `+ ${path}: ${text(after)}`);
  if (after === undefined) return style.paint('red', `- ${path}: ${text(before)}`);
  const change =
    text(before) === text(after)
      ? `${text(after)} (another value)`
      : `${text(before)} → ${text(after)}`;
  return style.paint('yellow', `~ ${path}: ${change}`);
}

function text(value: unknown): string {
  return oneLine(JSON.stringify(value));
}

function changesSummary(compared: readonly Compared[]): string {
  const count = (...changes: readonly string[]) =>
    compared.filter(({ change }) => changes.includes(change)).length;
  const parts = [
    `${count('create')} to create`,
    `${count('update', 'tags')} to change`,
    ...(count('retry') === 0 ? [] : [`${count('retry')} to process again`]),
    `${count('none')} unchanged`,
  ];
  return `${counted(compared.length, 'resource')}: ${parts.join(', ')}.`;
}
