// `fairlead outputs`: prints what a provider returned for a resource: all of it, or the value at a path. Screens are shared, and
// pictures of them are kept: at a terminal, secrets are hidden until somebody asks for them.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { plainText } from '../../../client/plain-text.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { slashed } from '../../../domain/identity.ts';
import { outputName } from '../../../domain/references/grammar.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointer,
} from '../../../lib/json.ts';
import { oneResource } from '../../resources/find.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import { memberPath, valueAt } from '../../terminal/format.ts';

const root = '/outputs';

/** Which values are not shown. */
interface HiddenOutputs {
  /** JSON Pointers in the record. */
  readonly paths: readonly string[];
  /** Shown in their place. */
  readonly text: string;
}

export async function outputs(invocation: Invocation): Promise<void> {
  const { args, flags, output } = invocation;
  const [name = '', given] = args;
  // A name in brackets is written as in a reference.
  const path = given?.replace(/^outputs(?=\[)/, '');
  const { id, text } = oneResource(name);
  const api = await invocation.api();
  // A named value is requested by its name.
  const isAsked = path !== undefined || flags.on('show-secrets');
  const isSeen = output.isForPeople && output.isTerminal;
  // The server leaves an audit line for a read that shows secrets.
  const query = isSeen && !isAsked ? { secrets: 'hide' as const } : {};
  const record = await api.call('getResource', { path: { resource_id: id }, query });
  const hidden = isSeen ? hiddenOutputs(record, isAsked) : nothing;
  const shown = withHidden(record.outputs as JsonObject, root, hidden);
  if (path === undefined) await printAll(invocation, { record, shown, hidden });
  else {
    if (isBelowAny(path, pathsBelow(record.masked ?? []))) throw notPermitted(text, path);
    const value = valueAt(shown, memberPath(path));
    if (value === undefined) throw missingOutput(text, path, record);
    await printOne(invocation, value);
  }
}

async function printOne({ output }: Invocation, value: unknown): Promise<void> {
  if (output.isForPeople) output.text(`${plainText(value)}\n`);
  else await output.value(value);
}

async function printAll(
  { output, talk }: Invocation,
  { record, shown, hidden }: { record: ResourceRecord; shown: JsonValue; hidden: HiddenOutputs },
) {
  if (!output.isForPeople) return await output.value(shown);
  const members = isJsonObject(shown) ? Object.entries(shown) : undefined;
  const rows = members?.map(([name, value]) => [outputName([name]), plainText(value)]);
  output.rows(rows ?? [['outputs', plainText(shown)]]);
  const text = slashed(record);
  if (members?.length === 0) talk.note(`${text} has no outputs; it is ${record.lifecycle_state}.`);
  if (hidden.text === sensitive && hidden.paths.length > 0) {
    const command = shell`fairlead outputs ${text} --show-secrets`;
    talk.note(`Sensitive outputs are hidden. Show them, if your role permits: ${command}`);
  }
}

const nothing: HiddenOutputs = { paths: [], text: '' };
const sensitive = '(sensitive)';

function hiddenOutputs(record: ResourceRecord, isAsked: boolean): HiddenOutputs {
  const { masked = [] } = record;
  if (isAsked) return { paths: pathsBelow(masked), text: '(hidden: your role may not read it)' };
  return { paths: pathsBelow(masked), text: sensitive };
}

function pathsBelow(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => path === root || path.startsWith(`${root}/`));
}

function isBelowAny(path: string, places: readonly string[]): boolean {
  const at = memberPath(path).reduce(pointer, root);
  return places.some((each) => at === each || at.startsWith(`${each}/`));
}

function withHidden(value: JsonValue, at: string, hidden: HiddenOutputs): JsonValue {
  if (hidden.paths.includes(at)) return hidden.text;
  if (isJsonArray(value)) {
    return value.map((each, index) => withHidden(each, pointer(at, `${index}`), hidden));
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, each]) => [
    name,
    withHidden(each, pointer(at, name), hidden),
  ]);
  return Object.fromEntries(members) as JsonObject;
}

/** The server sends null in its place, which a script would take for the value. */
function notPermitted(text: string, path: string): CliError {
  return new CliError(`Your role may not read the output ${path} of ${text}: it is secret.`, {
    exit: ExitCode.notAllowed,
    facts: [
      'Editors and admins of the organization may read it. Ask one of them, or sign in as one',
    ],
    next: 'fairlead whoami',
  });
}

function missingOutput(
  text: string,
  path: string,
  { outputs: all, lifecycle_state: state }: ResourceRecord,
): CliError {
  const names = Object.keys(all).map((name) => outputName([name]));
  const there = names.length === 0 ? `none; it is ${state}` : names.join(', ');
  return new CliError(`${text} has no output ${path}.`, {
    exit: ExitCode.notFound,
    facts: [`Its outputs: ${there}`],
    next: shell`fairlead why ${text}`,
  });
}
