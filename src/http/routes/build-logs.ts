// Implements /providers/{provider}/builds/{job_name}/logs: the output of a build, during the build and afterwards.
import { ErrorCode } from '../../domain/errors.ts';
import type { BuildLogs } from '../../store/builds/logs.ts';
import type { BuildStore } from '../../store/builds/store.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { eventLog, formatFor, logStream, plainLog } from '../response/log-stream.ts';
import { BuildPath } from '../schemas/providers.ts';

export interface BuildLogRoutesDeps {
  readonly builds: Pick<BuildStore, 'get'>;
  readonly buildLogs: Pick<BuildLogs, 'open'>;
}

// The API guarantees output every five seconds.
const quietMs = 4_000;

export function buildLogRoutes({ builds, buildLogs }: BuildLogRoutesDeps): readonly Endpoint[] {
  const getBuildLogs = endpoint({
    method: 'GET',
    path: '/providers/{provider}/builds/{job_name}/logs',
    access: 'getBuildLogs',
    accepts: { path: BuildPath },
    documentation: {
      operationId: 'getBuildLogs',
      tag: 'Builds',
      summary: 'Read the log of a build',
      description:
        'From the first line on, live while the build runs, and complete after it; ends with the build. Of a long log, what is between head and tail is left out. With `Accept: text/event-stream`, an event per line and an event `end`. Every few seconds of silence bring an empty line or a comment. When the token expires, a last line (an event `expired`) says so, and the connection is cut.',
      answer: {
        status: 200,
        description: 'The lines.',
        type: [plainLog.type, eventLog.type].map((type) => type.replace(/;.*/, '')),
      },
      errors: [ErrorCode.buildNotFound],
    },
    handle: async ({ caller, path: { provider, job_name }, accept }) => {
      const { organization } = caller;
      const build = await builds.get(organization, provider, job_name);
      const format = formatFor(accept);
      return {
        status: 200,
        // Buffering proxies would delay the lines.
        headers: { 'X-Accel-Buffering': 'no' },
        content: {
          type: format.type,
          heldBytes: 65_536,
          stream: (signal) =>
            logStream(buildLogs.open(organization, build, signal), { format, quietMs, signal }),
          cutShort: format.expired,
        },
      };
    },
  });
  return [getBuildLogs];
}
