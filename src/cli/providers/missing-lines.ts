// Explains why a log has no requested line, and finds where there are some: advice that is known to lead nowhere is not
// given.

import { type InputOf, operationPath, queryText } from '../../client/api/request.ts';
import { shell } from '../../client/words/shell-word.ts';
import type { Api } from '../session/api/client.ts';
import { ApiError } from '../terminal/errors/api-error.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { extentText, type LogExtent } from './log-extent.ts';

export type LogQuery = NonNullable<InputOf<'getProviderLogs'>['query']>;

export interface AskedLog {
  readonly provider: string;
  readonly query: LogQuery;
}

interface MissingLineSurroundings {
  readonly api: Api;
  readonly signal: AbortSignal;
  readonly now: Date;
}

/** @param extent undefined when the log ended without it. @throws ApiError when the resource does not exist */
export async function missingLines(
  asked: AskedLog,
  extent: LogExtent | undefined,
  { api, signal, now }: MissingLineSurroundings,
): Promise<CliError> {
  const { query } = asked;
  const { previous = false, since } = query;
  const look = (changes: LogQuery) => findLines(asked, changes, { api, signal });
  const [letter, older, elsewhere] = await Promise.all([
    deadLetterFor(asked, api),
    since === undefined ? undefined : look({ since: undefined }),
    look({ since: undefined, previous: !previous }),
  ]);
  const steps = [
    ...(older === 'lines' ? [`Older lines: ${logsCommand(asked, { since: undefined })}`] : []),
    ...(previous ? stepsToPresent(asked, elsewhere) : stepsToPrevious(asked, elsewhere)),
    ...(letter === undefined ? [] : [shell`Its failure: fairlead dead-letters get ${letter}`]),
  ];
  const [next = otherAdvice(asked, extent), ...more] = steps;
  const read = extent === undefined ? [] : [extentText(extent, now)];
  return new CliError(sentenceFor(asked), {
    exit: ExitCode.notFound,
    facts: [...read, ...(steps.length > 0 ? [] : [whereLinesGo]), ...more],
    next,
  });
}

const whereLinesGo =
  'Lines are gone when their pod is replaced, or its container restarts for the second time.';

function sentenceFor({ provider, query: { resource, event, previous } }: AskedLog): string {
  const log = `The log of provider ${provider}${previous ? ' before its last restart' : ''}`;
  const about = [
    ...(resource === undefined ? [] : [`for ${resource}`]),
    ...(event === undefined ? [] : [`for event ${event}`]),
  ];
  return `${log} has no line${about.length === 0 ? '' : ` ${about.join(' and ')}`}.`;
}

/** A process that ends without a handler's log has lines of no resource, such as the stack of its error. */
function stepsToPrevious(asked: AskedLog, before: LogContent): readonly string[] {
  if (before === 'lines') {
    return [`Before the last restart: ${logsCommand(asked, { since: undefined, previous: true })}`];
  }
  if (before === undefined) return [];
  return [shell`The provider before its last restart: fairlead logs ${asked.provider} --previous`];
}

function stepsToPresent(asked: AskedLog, present: LogContent): readonly string[] {
  const command = logsCommand(asked, { since: undefined, previous: false });
  return present === 'lines' ? [`After the last restart: ${command}`] : [];
}

function otherAdvice({ provider, query: { previous } }: AskedLog, extent?: LogExtent): string {
  if (extent?.lines === 0)
    return shell`The state of the provider: fairlead provider get ${provider}`;
  return shell`All lines of the provider: fairlead logs ${[provider, ...(previous ? ['--previous'] : [])]}`;
}

function logsCommand({ provider, query }: AskedLog, changes: LogQuery): string {
  const { resource, event, version, since, previous } = { ...query, ...changes };
  // Only this spelling also names the provider.
  const isSubject = resource?.includes('/') === true;
  const flags = [
    ...(resource === undefined || isSubject ? [] : ['--resource', resource]),
    ...(event === undefined ? [] : ['--event', event]),
    ...(version === undefined ? [] : ['--version', version]),
    ...(since === undefined ? [] : ['--since', since]),
    ...(previous ? ['--previous'] : []),
  ];
  return shell`fairlead logs ${[isSubject ? resource : provider, ...flags]}`;
}

type LogContent = 'lines' | 'nothing' | undefined;

/** @returns undefined when there is no such log */
async function findLines(
  { provider, query }: AskedLog,
  changes: LogQuery,
  { api, signal }: Pick<MissingLineSurroundings, 'api' | 'signal'>,
): Promise<LogContent> {
  const one = queryText({ ...query, ...changes, tail: 1 });
  const request = {
    method: 'GET',
    path: `${operationPath('getProviderLogs', { provider })}${one}`,
    signal,
  };
  try {
    // Empty lines are signs of life.
    return (await api.send(request)).body.trim() === '' ? 'nothing' : 'lines';
  } catch (thrown) {
    if (thrown instanceof ApiError) return undefined;
    throw thrown;
  }
}

/** @returns the id of the dead letter of the requested resource or event */
async function deadLetterFor({ query }: AskedLog, api: Api): Promise<string | undefined> {
  const { resource, event } = query;
  try {
    if (resource === undefined) {
      if (event === undefined) return undefined;
      return (await api.call('getDeadLetter', { path: { event_id: event } })).event_id;
    }
    const path = { resource_id: resource };
    const { dead_letter: letter, resource: name } = await api.call('explainResource', { path });
    return letter?.resource === name ? letter.event_id : undefined;
  } catch (thrown) {
    const isMistyped = thrown instanceof ApiError && thrown.code === 'resource_not_found';
    if (isMistyped || !(thrown instanceof ApiError)) throw thrown;
    return undefined;
  }
}
