// `fairlead logs`: what a provider, a build, or the provider of a resource has written.

import { operationPath, queryText } from '../../../client/api/request.ts';
import { type LogLine, logLineParts, parseLogLine } from '../../../client/log-line.ts';
import { safeLine } from '../../../client/width.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { parseResourceAddress, providerPattern } from '../../../domain/identity.ts';
import { providerOfBuild } from '../../providers/build.ts';
import { extentText, type LogExtent } from '../../providers/log-extent.ts';
import { logLines } from '../../providers/log-lines.ts';
import { type AskedLog, type LogQuery, missingLines } from '../../providers/missing-lines.ts';
import { defaultProvider } from '../../providers/provider.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import type { ExitCode } from '../../terminal/exit-codes.ts';
import type { Style } from '../../terminal/style.ts';
import { printBuildLog } from './build.ts';

export async function logs(invocation: Invocation): Promise<ExitCode | undefined> {
  const subject = invocation.args[0] ?? (await defaultProvider(invocation));
  const ofBuild = providerOfBuild(subject);
  if (ofBuild !== undefined) {
    if (invocation.flags.on('previous')) throw usageError('--previous is not for builds.');
    return await printBuildLog(invocation, { provider: ofBuild, job_name: subject });
  }
  const { provider, resource } = logSubject(subject, invocation.flags.text('resource'));
  const asked = { provider, query: queryOf(invocation, resource) };
  try {
    await explainNothing(invocation, asked, await printLog(invocation, asked));
  } catch (thrown) {
    throw thrown instanceof ApiError ? await logError(invocation, provider, thrown) : thrown;
  }
  return undefined;
}

function logSubject(
  text: string,
  resource: string | undefined,
): { provider: string; resource: string | undefined } {
  const address = parseResourceAddress(text);
  if (address?.tuple !== undefined) {
    return { provider: address.tuple.provider, resource: address.text };
  }
  if (providerPattern.test(text)) return { provider: text, resource };
  throw usageError(
    `"${text}" is no PROVIDER, no resource PROVIDER/TYPE/NAME and no build.`,
    'fairlead provider list',
  );
}

function queryOf({ flags }: Invocation, resource: string | undefined): LogQuery {
  const [follow, previous] = [flags.on('follow'), flags.on('previous')];
  if (follow && previous) {
    throw usageError(
      '--follow and --previous exclude each other: a container before a restart writes nothing more.',
    );
  }
  return {
    tail: flags.count('tail'),
    since: flags.text('since'),
    follow: follow ? true : undefined,
    previous: previous ? true : undefined,
    resource,
    event: flags.text('event'),
    version: flags.text('version'),
  };
}

interface PrintedLines {
  /** How many lines there are. */
  readonly count: number;
  readonly extent: LogExtent | undefined;
}

async function printLog(
  invocation: Invocation,
  { provider, query }: AskedLog,
): Promise<PrintedLines> {
  const { output, signal } = invocation;
  const api = await invocation.api();
  const path = `${operationPath('getProviderLogs', { provider })}${queryText(query)}`;
  let extent: LogExtent | undefined;
  const onEnd = (facts: string) => {
    extent = JSON.parse(facts) as LogExtent;
  };
  let count = 0;
  for await (const line of logLines(api, { path, signal, onEnd })) {
    count += 1;
    const parsed = parseLogLine(line);
    const { pod, text, entry } = parsed;
    if (output.isForPeople) output.line(logText(parsed, output.style));
    else output.line(JSON.stringify({ pod, ...(entry ?? { message: text }) }));
  }
  return { count, extent };
}

/** @throws CliError when no line is of the resource, event or container that was requested */
async function explainNothing(
  invocation: Invocation,
  asked: AskedLog,
  { count, extent }: PrintedLines,
): Promise<void> {
  const { output, signal, talk } = invocation;
  const { resource, event, previous, tail, since } = asked.query;
  if (count > 0 || tail === 0) return;
  const { now } = output.look;
  if (resource !== undefined || event !== undefined || previous === true) {
    throw await missingLines(asked, extent, { api: await invocation.api(), signal, now });
  } else {
    const period = since === undefined ? '' : ` since ${since}`;
    const read = extent === undefined ? '' : ` ${extentText(extent, now)}`;
    talk.note(`The log of provider ${asked.provider} has no line${period}.${read}`);
  }
}

/** A provider that never ran may have a build whose log shows the reason. */
async function logError({ api }: Invocation, provider: string, error: ApiError): Promise<CliError> {
  if (error.code === 'no_previous_container') {
    const next = shell`The present log: fairlead logs ${provider}`;
    return new CliError(error.message, { exit: error.exit, next });
  }
  if (error.code === 'not_deployed' && error.context['hosted'] !== false) {
    const builds = await (await api()).list('listBuilds', { path: { provider } });
    const [newest] = builds;
    if (newest === undefined) return error;
    return new CliError(error.message, {
      exit: error.exit,
      next: shell`Its newest build (${newest.status}): fairlead logs ${newest.job_name}`,
    });
  }
  return error;
}

// Formats lines of provider logs for a terminal.

/** @returns a line for people: time, level, message and fields */
export function logText(line: LogLine, style: Style): string {
  const { source, level, clock, message, fields } = logLineParts(line);
  const shownSource = style.paint('dim', source);
  if (level === undefined) return `${shownSource} ${message}`;
  const shownClock = clock === '' ? '' : `${safeLine(clock)} `;
  const word = safeLine(level).padEnd(5);
  const shown = level === 'error' ? style.paint('red', word) : word;
  return `${shownSource} ${shownClock}${shown} ${message} ${style.paint('dim', safeLine(fields))}`.trimEnd();
}
