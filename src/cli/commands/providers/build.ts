// `fairlead build …`: the builds of a provider.

import type { Build } from '../../../api/shapes.ts';
import { operationPath } from '../../../client/api/request.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { jobNameOf, versionPattern } from '../../../domain/providers/build.ts';
import { providerOfBuild } from '../../providers/build.ts';
import { logLines } from '../../providers/log-lines.ts';
import { defaultProvider } from '../../providers/provider.ts';
import { buildView } from '../../providers/views.ts';
import type { Invocation } from '../../session/invocation.ts';
import { refuseUnknownProvider } from '../../session/meant.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

export async function buildList(invocation: Invocation): Promise<void> {
  const { api, output } = invocation;
  const provider = invocation.args[0] ?? (await defaultProvider(invocation));
  const client = await api();
  const builds = await client.list('listBuilds', { path: { provider } });
  await output.list(builds, buildView);
  if (builds.length === 0) await refuseUnknownProvider(client, provider);
}

export async function buildGet(invocation: Invocation): Promise<void> {
  const path = await buildIn(invocation);
  const build = await (await invocation.api()).call('getBuild', { path });
  await invocation.output.record(build, buildView);
}

export async function buildLogs(invocation: Invocation): Promise<ExitCode | undefined> {
  const path = await buildIn(invocation);
  return await printBuildLog(invocation, path);
}

interface BuildPath {
  readonly provider: string;
  readonly job_name: string;
}

/** Prints the log to its end. @returns exit code 1 when the build failed */
export async function printBuildLog(
  invocation: Invocation,
  path: BuildPath,
): Promise<ExitCode | undefined> {
  const { output, signal, talk } = invocation;
  const api = await invocation.api();
  const request = { path: operationPath('getBuildLogs', { ...path }), signal };
  const { kind } = output.format;
  for await (const line of logLines(api, request)) {
    if (kind === 'json' || kind === 'ndjson') output.line(JSON.stringify({ line }));
    else output.line(line);
  }
  const build: Build = await api.call('getBuild', { path });
  if (build.status !== 'failed') return undefined;
  talk.note(`The build ${path.job_name} failed: ${build.error_message ?? ''}`);
  return ExitCode.failed;
}

/** `PROVIDER BUILD`, or only the build, whose name begins with that of the provider; a version also names a build. */
async function buildIn(invocation: Invocation): Promise<BuildPath> {
  const { args } = invocation;
  const last = args.at(-1);
  const provider =
    args.length > 1 ? args[0] : last === undefined ? undefined : providerOfBuild(last);
  const owner = provider ?? (await defaultProvider(invocation));
  if (last === undefined) {
    throw usageError('Which build?', shell`fairlead build list ${owner}`);
  }
  return {
    provider: owner,
    job_name: versionPattern.test(last) ? jobNameOf(owner, last) : last,
  };
}
