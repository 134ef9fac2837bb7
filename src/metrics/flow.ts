// Metrics reported as things happen: requests, reconciler passes, event deliveries. Names and help texts are an interface:
// dashboards and alerts depend on them.

import type { ControllerMeter } from '../app/controllers/controller-options.ts';
import type { Dispatch } from '../events/dispatch.ts';
import type { Answer } from '../events/protocol.ts';
import type { RulesObserver } from '../http/author-rules/index.ts';
import type { RequestObserver } from '../http/measure.ts';
import { refOf } from '../kube/api.ts';
import type { Workqueue } from '../kube/queue/workqueue.ts';
import type { Clock } from '../lib/clock.ts';
import { sum } from '../lib/numbers.ts';
import type { Metrics } from './registry.ts';
import { firstWords, other } from './tenant-words.ts';

/** Upper bounds in seconds. */
const buckets = {
  request: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  reconcile: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30],
  event: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60, 600, 3_600],
};

/** A client may send any other HTTP method to any route. */
const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function requestObserver(metrics: Metrics): RequestObserver {
  const count = metrics.counter({
    name: 'fairlead_http_requests_total',
    help: 'Requests by method, route pattern and status; aborted: the client disconnected before the end of the answer.',
    labels: ['method', 'route', 'status'],
  });
  const time = metrics.histogram({
    name: 'fairlead_http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer, without streams of events and waits that clients asked for.',
    labels: ['route'],
    buckets: buckets.request,
  });
  return ({ method, route, status, ms }) => {
    count({ method: methods.includes(method) ? method : 'other', route, status });
    if (ms !== undefined) time({ route }, ms / 1_000);
  };
}

/** @returns where the API reports contents that were accepted without the rules of their author; call it once */
export function authorRulesObserver(metrics: Metrics): RulesObserver {
  const count = metrics.counter({
    name: 'fairlead_author_rules_unapplied_total',
    help: 'Contents of applies and plans to which plan of their type was not applied. no_process: no process of the provider is ready, no_answer: it could not be asked or gave no answer, failed: the rules failed. The first fifty types of each organization, the rest as other.',
    labels: ['organization', 'provider', 'type', 'reason'],
  });
  const isFirst = firstWords();
  return ({ organization: { namespace: organization }, provider, type, reason }) => {
    const isNamed = isFirst(organization, `${provider}/${type}`);
    const named = isNamed ? { provider, type } : { provider: other, type: other };
    count({ organization, ...named, reason });
  };
}

/** Its keys are grouped by the namespace of their organization. */
const resourceReconciler = 'resource';

export function controllerMeter(
  metrics: Metrics,
): Omit<ControllerMeter, 'deliveries' | 'observations'> {
  /** By reconciler and shard: the queues of the current or last term. */
  const queues = new Map<string, Map<number, Workqueue>>();
  const labels = ['reconciler'];
  const time = metrics.histogram({
    name: 'fairlead_reconcile_duration_seconds',
    help: 'Duration of reconcile passes by ending; stale: retried because the pass used an outdated version of an object; unchanged: retried later because it asked for another pass and wrote nothing.',
    labels: [...labels, 'ending'],
    buckets: buckets.reconcile,
  });
  const depth = metrics.gauge({
    name: 'fairlead_queue_depth',
    help: 'Objects that wait for a worker.',
    labels,
  });
  const oldest = metrics.gauge({
    name: 'fairlead_queue_oldest_seconds',
    help: 'How long the longest waiting object has waited for a worker.',
    labels,
  });
  const organizationDepth = metrics.gauge({
    name: 'fairlead_organization_queue_depth',
    help: 'Resources of an organization that wait for a worker; absent when none does.',
    labels: ['organization'],
  });
  const organizationOldest = metrics.gauge({
    name: 'fairlead_organization_queue_oldest_seconds',
    help: 'How long the longest waiting resource of an organization has waited for a worker.',
    labels: ['organization'],
  });
  const ends = metrics.counter({
    name: 'fairlead_provider_process_ends_total',
    help: 'Events that ended the process of a provider in which their handler ran, by provider; each attempt counts.',
    labels: ['organization', 'provider'],
  });
  const restarts = metrics.counter({
    name: 'fairlead_provider_process_restarts_total',
    help: 'Processes in the pods of a provider that ended without an event to blame, by provider.',
    labels: ['organization', 'provider'],
  });
  metrics.beforeScrape(() => {
    const groups = [...(queues.get(resourceReconciler)?.values() ?? [])]
      .flatMap((queue) => [...queue.byGroup()])
      .map(([organization, waiting]) => ({ labels: { organization }, ...waiting }));
    organizationDepth(groups.map(({ depth: value, ...rest }) => ({ ...rest, value })));
    organizationOldest(
      groups.map(({ oldestMs, ...rest }) => ({ ...rest, value: oldestMs / 1_000 })),
    );
    const each = [...queues].map(([reconciler, ofShards]) => ({
      labels: { reconciler },
      depths: [...ofShards.values()].map((queue) => queue.depth),
      ages: [...ofShards.values()].map((queue) => queue.oldestMs()),
    }));
    depth(each.map(({ labels, depths }) => ({ labels, value: sum(depths) })));
    oldest(each.map(({ labels, ages }) => ({ labels, value: Math.max(...ages) / 1_000 })));
  });
  return {
    processEnded(key) {
      const { namespace: organization = '', name: provider } = refOf(key);
      ends({ organization, provider });
    },
    processesRestarted(key, count) {
      const { namespace: organization = '', name: provider } = refOf(key);
      restarts({ organization, provider }, count);
    },
    reconciled: (reconciler, ending, ms) => time({ reconciler, ending }, ms / 1_000),
    queue(reconciler, shard, queue) {
      const ofShards = queues.get(reconciler) ?? new Map<number, Workqueue>();
      queues.set(reconciler, ofShards.set(shard, queue));
    },
  };
}

export function measuredDispatch(metrics: Metrics, clock: Clock, dispatch: Dispatch): Dispatch {
  const count = metrics.counter({
    name: 'fairlead_event_attempts_total',
    help: 'Deliveries of events by type and outcome; failed is retried, terminal is not, unanswered: no answer arrived.',
    labels: ['type', 'outcome'],
  });
  const time = metrics.histogram({
    name: 'fairlead_event_duration_seconds',
    help: 'Time of one delivery of an event, from connecting to the end of the answer.',
    labels: ['type'],
    buckets: buckets.event,
  });
  return async (event, endpoint, signal) => {
    const began = clock.monotonic();
    const answer = await dispatch(event, endpoint, signal);
    const { type } = event;
    count({ type, outcome: deliveryOutcome(answer) });
    time({ type }, (clock.monotonic() - began) / 1_000);
    return answer;
  };
}

function deliveryOutcome(answer: Answer): string {
  if (answer.kind !== 'failed') return answer.kind;
  if (answer.unanswered === true) return 'unanswered';
  return answer.terminal ? 'terminal' : 'failed';
}
