// `fairlead logs`: what a provider, a build, or the provider of a resource has written.
import { parseResourceAddress, providerPattern } from '../../domain/identity.ts';
import { pathOf, queryText } from '../api/operations.ts';
import { ApiError } from '../errors/api-error.ts';
import { CliError, usageError } from '../errors/cli-error.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { providerOfBuild } from '../providers/build.ts';
import { defaultProvider } from '../providers/default-provider.ts';
import { logText } from '../providers/log-format.ts';
import { hasLevel, type Level, parseLogLine } from '../providers/log-line.ts';
import { logLines } from '../providers/log-lines.ts';
import { printBuildLog } from './build.ts';

export async function logs(invocation: Invocation): Promise<ExitCode | undefined> {
  const subject = invocation.args[0] ?? (await defaultProvider(invocation));
  const ofBuild = providerOfBuild(subject);
  if (ofBuild !== undefined) {
    return await printBuildLog(invocation, { provider: ofBuild, job_name: subject });
  }
  const { provider, resource } = subjectOf(subject, invocation.flags.text('resource'));
  try {
    await print(invocation, provider, resource);
  } catch (thrown) {
    throw thrown instanceof ApiError ? await explained(invocation, provider, thrown) : thrown;
  }
  return undefined;
}

interface Subject {
  readonly provider: string;
  readonly resource: string | undefined;
}

function subjectOf(text: string, resource: string | undefined): Subject {
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

async function print(
  invocation: Invocation,
  provider: string,
  resource: string | undefined,
): Promise<void> {
  const { flags, output, signal } = invocation;
  const api = await invocation.api();
  const query = {
    tail: flags.count('tail'),
    since: flags.text('since'),
    follow: flags.on('follow') ? true : undefined,
    resource,
    event: flags.text('event'),
    version: flags.text('version'),
  };
  const path = `${pathOf('getProviderLogs', { provider })}${queryText(query)}`;
  const least = (flags.text('level') ?? 'debug') as Level;
  for await (const line of logLines(api, { path, signal })) {
    const parsed = parseLogLine(line);
    if (!hasLevel(parsed, least)) continue;
    const { pod, text, entry } = parsed;
    if (output.isForPeople) output.line(logText(parsed, output.style));
    else output.line(JSON.stringify({ pod, ...(entry ?? { message: text }) }));
  }
}

/** A provider that never ran may have a build whose log shows the reason. */
async function explained(
  { api }: Invocation,
  provider: string,
  error: ApiError,
): Promise<CliError> {
  if (error.code === 'not_deployed') {
    const builds = await (await api()).list('listBuilds', { path: { provider } });
    const [newest] = builds;
    if (newest === undefined) return error;
    return new CliError(error.message, {
      exit: error.exit,
      next: `Its newest build (${newest.status}): fairlead logs ${newest.job_name}`,
    });
  }
  if (error.code !== 'not_found') return error;
  return new CliError('The server is older than this client and has no logs of providers.', {
    exit: ExitCode.usage,
    next: 'The versions of both: fairlead version',
  });
}
