// Follows a build to its end: its log while it runs, then its result.

import type { Build, PushedBuild } from '../../api/shapes.ts';
import { operationPath } from '../../client/api/request.ts';
import { shell } from '../../client/words/shell-word.ts';
import { jobNamePattern } from '../../domain/providers/build.ts';
import type { Api } from '../session/api/client.ts';
import { abortablePause } from '../session/api/retry.ts';
import { withStop } from '../terminal/errors/api-error.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import type { Following } from './following.ts';
import { logLines } from './log-lines.ts';

const tailLines = 8;
const shownAfterFailure = 30;
const lookMs = 500;

/** @returns the successful build. @throws CliError with the end of the log for another one */
export async function followBuild(
  { api, talk, progress, deadline }: Following,
  provider: string,
  { job_name, status }: PushedBuild,
): Promise<Build> {
  const path = { provider, job_name };
  const next = shell`fairlead build logs ${provider} ${job_name}`;
  deadline.waitFor(`the build ${job_name} has not ended, and continues`, next);
  const show = (state: string, detail = '') => {
    const isDone = state === 'success' || state === 'failed';
    progress.set('build', { label: 'Build', state, detail, isDone });
  };
  show(status);
  const lines: string[] = [];
  const request = { path: operationPath('getBuildLogs', path), signal: deadline.signal };
  for await (const line of logLines(api, request)) {
    lines.push(line);
    if (lines.length === 1) show('building');
    if (progress.isLive && !talk.verbose) progress.setTail(lines.slice(-tailLines));
    else talk.note(`  ${line}`);
  }
  progress.setTail([]);
  const build = await finishedBuild(api, path, deadline.signal);
  show(build.status, stepsOf(lines));
  if (build.status === 'success') return build;
  const isShown = (!progress.isLive || talk.verbose) && !talk.quiet;
  const reason = build.error_message ?? 'there is no reason';
  throw new CliError(withStop(`The build ${job_name} failed: ${reason}`), {
    facts: isShown ? [] : lines.slice(-shownAfterFailure),
    next,
  });
}

/** The result is recorded a moment after the last line. */
async function finishedBuild(
  api: Api,
  path: { provider: string; job_name: string },
  signal: AbortSignal,
): Promise<Build> {
  for (;;) {
    const build = await api.call('getBuild', { path, signal });
    if (build.status === 'success' || build.status === 'failed') return build;
    await abortablePause(lookMs, signal);
  }
}

/** @returns the commands of a log, such as `npm ci, npm run build` */
function stepsOf(lines: readonly string[]): string {
  return lines.flatMap((line) => /^\$ (npm [\w ]+)/.exec(line)?.[1]?.trim() ?? []).join(', ');
}

/** @returns the provider of the name of a build, undefined for other names */
export function providerOfBuild(text: string): string | undefined {
  return jobNamePattern.test(text) ? /^(.+)-\d{8}-\d{6}$/.exec(text)?.[1] : undefined;
}
