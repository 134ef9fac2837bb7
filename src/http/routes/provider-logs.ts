// Implements /providers/{provider}/logs: the output of the pods that run a provider.

import { sinceTime } from '../../api/schemas/provider-logs.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { LogExtent } from '../../store/providers/log-reading.ts';
import type { ProviderLogs } from '../../store/providers/logs.ts';
import type { ProviderStore } from '../../store/providers/store.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { createOpenRequests } from '../limits/open-requests.ts';
import { eventLog, formatFor, logStream, plainLog, quietMs } from '../response/log-stream.ts';
import { notDeployed } from '../response/not-deployed.ts';

export interface ProviderLogRoutesDeps {
  readonly providers: Pick<ProviderStore, 'find'>;
  readonly providerLogs: Pick<ProviderLogs, 'open'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Per organization and replica; each follows up to 20 pods. */
const maxLogs = 20;

export function providerLogRoutes({
  providers,
  providerLogs,
  clock,
}: ProviderLogRoutesDeps): readonly Endpoint[] {
  const openLogs = createOpenRequests(maxLogs);
  const getProviderLogs = endpoint('getProviderLogs', {
    documentation: {
      tag: 'Deployments',
      summary: 'Read the log of a provider',
      description:
        'Returns the last lines of the pods of the provider, the oldest first, each after the name of its pod. With `follow=true`, new lines follow until the client closes the connection. With `Accept: text/event-stream`, each line is an event with an `id`, and an event `end` ends a log that is not followed: its data is JSON with the numbers of `pods` and `lines` that were read, before those of `resource` and `event` were selected, and with the time `since` which there are lines; with the header `Last-Event-ID`, the log continues after that line. An empty line or a comment is sent after every few seconds of silence. When the token expires, a last line (or an event `expired`) is sent, and the connection is closed.',
      answer: {
        status: 200,
        description: 'Lines of the log.',
        type: [plainLog.type, eventLog.type].map((type) => type.replace(/;.*/, '')),
      },
      errors: ['not_deployed', 'no_previous_container'],
    },
    handle: async ({ caller, path: { provider }, query, accept, lastEventId, closed }) => {
      const { organization } = caller;
      // Before anything is awaited: concurrent requests must not pass all.
      const left = closed();
      if (!openLogs.enter(organization.namespace, left)) throw tooManyLogs();
      const record = await providers.find(organization, provider);
      if (record?.version === undefined) throw notDeployed(provider, record?.endpoint, 'log');
      const { tail, follow, version, resource, event, since, previous } = query;
      const asked = {
        provider,
        version,
        resource: resource?.key,
        event,
        tail,
        since: since === undefined ? undefined : sinceTime(since, clock.now()),
        follow,
        previous,
        after: lastEventId || undefined,
        hidesSecrets: caller.role === 'viewer',
      };
      const log = await providerLogs.open(organization, asked, left);
      const factsAtEnd = () => JSON.stringify(presentExtent(log.extent()));
      const format = formatFor(accept);
      return {
        status: 200,
        // Buffering proxies would delay the lines.
        headers: { 'X-Accel-Buffering': 'no' },
        content: {
          type: format.type,
          heldBytes: 262_144,
          stream: (signal) => logStream(log.read(signal), { format, quietMs, signal, factsAtEnd }),
          cutShort: format.expired,
        },
      };
    },
  });
  return [getProviderLogs];
}

function presentExtent({ pods, lines, since }: LogExtent) {
  return { pods, lines, since: since ?? null };
}

function tooManyLogs(): FairleadError {
  const message = `The organization reads ${maxLogs} logs of providers already; close one`;
  return new FairleadError('too_many_requests', message, { retryAfter: 5 });
}
