// Records Kubernetes Events about objects, for `kubectl describe` and `kubectl get events`. Recording never waits, never
// fails and never exceeds its bounds; repeated news about an object become one series.
import { createHash } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import {
  allow,
  eventKind,
  type KindRef,
  type KubeClient,
  type KubeObject,
  type ObjectMeta,
  type ScopedRules,
} from './api.ts';
import { hasReason } from './errors.ts';
import { microTime } from './leader/lease-record.ts';

/** `npm run generate` generates roles from these. */
export const recorderRules = {
  tenant: [allow(['create', 'patch'], 'events.k8s.io', ['events'])],
} satisfies ScopedRules;

export interface News {
  readonly type: 'Normal' | 'Warning';
  /** One CamelCase word. */
  readonly reason: string;
  readonly message: string;
}

export interface Recorder {
  /** Records without waiting. Drops what cannot be written in time. */
  record(about: { kind: KindRef; metadata: ObjectMeta }, news: News): void;
  /** Returns whether the last recorded Event of an object was a warning, as far as this process has cached it. */
  wasTroubled(metadata: ObjectMeta): boolean;
  /** Resolves when no write is pending. */
  settled(): Promise<void>;
}

interface RecorderOptions {
  readonly client: KubeClient;
  /** The reporting component, as a qualified name such as `example.com/controller`. */
  readonly component: string;
  readonly clock: Clock;
  readonly log: Log;
}

// Repeated news within this time increase the count of the existing Event.
const seriesMs = 10 * 60_000;
const maxSeries = 4_096;
const maxInFlight = 32;
// Good news of thousands of objects at once help nobody: they arise when a cluster is filled.
const goodNewsBurst = 100;
const goodNewsPerSecond = 10;
// The API server's limit for a note.
const maxBytes = 1_024;

interface Series {
  readonly name: string;
  /** On the monotonic clock. */
  readonly since: number;
  count: number;
}

export function createRecorder({ client, component, clock, log }: RecorderOptions): Recorder {
  const series = new Map<string, Series>();
  const writing = new Set<Promise<void>>();
  const troubled = new Set<string>();
  let goodNews = { left: goodNewsBurst, at: clock.monotonic() };
  const instance = `${component}-${process.pid}`;

  function noteTrouble({ uid = '' }: ObjectMeta, type: News['type']): void {
    troubled.delete(uid);
    if (type === 'Normal') return;
    const [oldest] = troubled;
    if (troubled.size >= maxSeries && oldest !== undefined) troubled.delete(oldest);
    troubled.add(uid);
  }

  function mayTellGoodNews(): boolean {
    const now = clock.monotonic();
    const earned = ((now - goodNews.at) / 1_000) * goodNewsPerSecond;
    const left = Math.min(goodNewsBurst, goodNews.left + earned);
    goodNews = { left: Math.max(0, left - 1), at: now };
    return left >= 1;
  }

  function remember(id: string, name: string): void {
    // Maps keep insertion order: the first one is the oldest.
    const [oldest] = series.keys();
    if (series.size >= maxSeries && oldest !== undefined) series.delete(oldest);
    series.delete(id);
    series.set(id, { name, since: clock.monotonic(), count: 1 });
  }

  async function write(about: { kind: KindRef; metadata: ObjectMeta }, news: News): Promise<void> {
    const { metadata } = about;
    const namespace = metadata.namespace ?? 'default';
    const id = [about.kind.kind, metadata.uid, news.type, news.reason, news.message].join('\n');
    const known = series.get(id);
    if (known !== undefined && clock.monotonic() - known.since < seriesMs) {
      known.count += 1;
      const counted = { count: known.count, lastObservedTime: microTime(clock.now()) };
      await client.patch(eventKind, { namespace, name: known.name }, { series: counted });
      return;
    }
    const digest = createHash('sha256').update(`${id}\n${clock.now().getTime()}`).digest('hex');
    // A name of Kubernetes has no dot or dash before a dot.
    const subject = metadata.name.slice(0, 200).replace(/[.-]+$/, '');
    const name = `${subject}.${digest.slice(0, 16)}`;
    remember(id, name);
    await client.create(eventKind, eventObject(about, news, { namespace, name }));
  }

  function eventObject(
    { kind, metadata }: { kind: KindRef; metadata: ObjectMeta },
    { type, reason, message }: News,
    place: { namespace: string; name: string },
  ): KubeObject {
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: place,
      eventTime: microTime(clock.now()),
      reportingController: component,
      reportingInstance: instance,
      action: reason,
      reason,
      type,
      note: shortMessage(message),
      regarding: {
        apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
        kind: kind.kind,
        name: metadata.name,
        namespace: metadata.namespace,
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
      },
    };
    return event;
  }

  return {
    record(about, news) {
      const isRelief = troubled.has(about.metadata.uid ?? '');
      noteTrouble(about.metadata, news.type);
      if (writing.size >= maxInFlight) {
        log.debug({ reason: news.reason }, 'Too many events at once; one was not recorded');
        return;
      }
      if (news.type === 'Normal' && !isRelief && !mayTellGoodNews()) return;
      const written = write(about, news)
        .catch((thrown: unknown) => {
          // The namespace may be terminating, or the object of the series may be gone: nothing to report.
          if (hasReason(thrown, 'notFound', 'forbidden', 'aborted')) return;
          log.debug({ error: thrown, reason: news.reason }, 'An event could not be recorded');
        })
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    wasTroubled: ({ uid = '' }) => troubled.has(uid),
    async settled() {
      await Promise.all(writing);
    },
  };
}

function shortMessage(message: string): string {
  const bytes = Buffer.from(message).subarray(0, maxBytes);
  // In stream mode, half a character at the end waits for a next chunk that never comes.
  return new TextDecoder().decode(bytes, { stream: true });
}
