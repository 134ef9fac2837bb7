// `fairlead` alone: the commands that are used most and, when signed in, the state of affairs in one line.

import { resourcesSummary } from '../resources/summary.ts';
import type { Invocation } from '../session/invocation.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import { aligned } from '../terminal/table.ts';

const mostUsed = [
  ['fairlead get', 'list resources'],
  ['fairlead apply -f FILE', 'declare resources'],
  ['fairlead why RESOURCE', 'why a resource is not ready'],
  ['fairlead push', 'build and deploy provider code'],
  ['fairlead logs PROVIDER', 'what a provider prints'],
  ['fairlead help', 'everything else'],
] as const;

export async function start(invocation: Invocation): Promise<void> {
  const { output } = invocation;
  for (const line of aligned(mostUsed, output.width)) output.line(line);
  const line = await statusLine(invocation).catch((thrown: unknown) => {
    if (!(thrown instanceof CliError)) throw thrown;
    return thrown.next === undefined ? thrown.message : `${thrown.message}  ${thrown.next}`;
  });
  output.line(`\n${line}`);
}

async function statusLine({ api, context }: Invocation): Promise<string> {
  const [signed, { url, project }] = [await api(), await context()];
  const [me, records] = await Promise.all([
    signed.call('getMe', {}),
    signed.list('listResources', { query: { project_id: project, limit: 1_000 } }),
  ]);
  const failed = records.some(({ lifecycle_state }) => lifecycle_state === 'failed');
  const next = failed ? '  fairlead get --failed' : '';
  return `${me.organization_name ?? me.organization_id} at ${url.origin}: ${resourcesSummary(records)}.${next}`;
}
