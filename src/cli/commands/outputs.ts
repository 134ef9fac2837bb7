// `fairlead outputs`: prints what a provider returned for a resource: all of it, or the value at a path.

import { CliError } from '../errors/cli-error.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { memberPath, plain, valueAt } from '../render/format.ts';
import { oneResource } from '../resources/selector.ts';

export async function outputs({ args, api, output, talk }: Invocation): Promise<undefined> {
  const [name = '', path] = args;
  const { id, text } = oneResource(name);
  const record = await (await api()).call('getResource', { path: { resource_id: id } });
  const all: Readonly<Record<string, unknown>> = record.outputs;
  if (path !== undefined) {
    const value = valueAt(all, memberPath(path));
    if (value === undefined) throw missing(text, path, { all, state: record.lifecycle_state });
    if (output.isForPeople) output.text(`${plain(value)}\n`);
    else await output.value(value);
    return undefined;
  }
  if (output.isForPeople) {
    output.rows(Object.entries(all).map(([key, value]) => [key, plain(value)]));
    const isEmpty = Object.keys(all).length === 0;
    if (isEmpty) talk.note(`${text} has no outputs; it is ${record.lifecycle_state}.`);
  } else await output.value(all);
  return undefined;
}

function missing(
  text: string,
  path: string,
  { all, state }: { all: Readonly<Record<string, unknown>>; state: string },
): CliError {
  const names = Object.keys(all);
  const there = names.length === 0 ? `none; it is ${state}` : names.join(', ');
  return new CliError(`${text} has no output ${path}.`, {
    exit: ExitCode.notFound,
    facts: [`Its outputs: ${there}`],
    next: `fairlead why ${text}`,
  });
}
