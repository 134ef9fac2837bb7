// Implements /providers/{provider}/builds/{job_name}/logs: the output of a build, during the build and afterwards.
import type { BuildLogs } from '../../store/builds/logs.ts';
import type { BuildStore } from '../../store/builds/store.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { quietMs, streamHeaders } from '../response/event-stream.ts';
import { eventLog, formatFor, logStream, plainLog } from '../response/log-stream.ts';
import { numbered } from '../response/numbered-lines.ts';

export interface BuildLogRoutesDeps {
  readonly builds: Pick<BuildStore, 'get'>;
  readonly buildLogs: Pick<BuildLogs, 'open'>;
}

export function buildLogRoutes({ builds, buildLogs }: BuildLogRoutesDeps): readonly Endpoint[] {
  const getBuildLogs = endpoint('getBuildLogs', {
    documentation: {
      tag: 'Builds',
      summary: 'Read the log of a build',
      description:
        'Streams the log from its first line while the build runs, and ends with the build. The middle of a long log is omitted. With `Accept: text/event-stream`, each line is an event with its number as `id`, followed by an event `end`; with the header `Last-Event-ID`, the log continues after that line. An empty line or a comment is sent after every few seconds of silence. When the token expires, a last line (or an event `expired`) is sent, and the connection is closed.',
      answer: {
        status: 200,
        description: 'Lines of the log.',
        type: [plainLog.type, eventLog.type].map((type) => type.replace(/;.*/, '')),
      },
      errors: ['build_not_found'],
    },
    handle: async ({ caller, path: { provider, job_name }, accept, lastEventId }) => {
      const { organization } = caller;
      const build = await builds.get(organization, provider, job_name);
      const format = formatFor(accept);
      return {
        status: 200,
        headers: streamHeaders,
        content: {
          type: format.type,
          heldBytes: 65_536,
          stream: (signal) => {
            const lines = numbered(
              buildLogs.open(organization, build, signal),
              lastEventId || undefined,
            );
            return logStream(lines, { format, quietMs, signal });
          },
          cutShort: format.expired,
        },
      };
    },
  });
  return [getBuildLogs];
}
