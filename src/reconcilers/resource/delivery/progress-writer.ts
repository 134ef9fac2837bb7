// Writes the progress that a handler reports during its delivery into the status of its resource. Each write is one to etcd, so
// there are few: none in the first seconds, and the fewer for each the more deliveries report.
import { isDeepStrictEqual } from 'node:util';
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';
import { progressInField } from '../../../domain/progress/header.ts';
import type { Progress } from '../../../domain/progress/value.ts';
import { type Informer, keyFor } from '../../../kube/api.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ClaimStore } from '../../../store/resources/claims.ts';
import { maskedProgress } from '../failures/failure-record.ts';
import type { Observed } from '../observe.ts';
import { isEventSettled } from '../status/event-status.ts';
import { deliveryId } from './unrecorded-answers.ts';

/** The progress of one delivery. */
interface DeliveryProgress {
  /** @param field that of the header; anything may be in it. The last one is written once it is time. */
  report(field: string): void;
  /** Ends the writes. Resolves when none is under way: the record of the answer would lose its race. */
  end(): Promise<void>;
}

export interface ProgressWriter {
  begin(event: ClaimedEvent, observed: Observed): DeliveryProgress;
}

interface ProgressWriterOptions {
  readonly resources: Pick<Informer<Resource>, 'get'>;
  readonly claims: Pick<ClaimStore, 'writeStatus'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly pace?: Pace;
}

interface Pace {
  /** Milliseconds from the begin of a delivery to its first write. */
  readonly firstMs: number;
  /** Milliseconds between two writes of a delivery. */
  readonly everyMs: number;
  /** Milliseconds between two writes of this process, on average, when many deliveries report. */
  readonly spacingMs: number;
}

const defaultPace: Pace = { firstMs: 5_000, everyMs: 10_000, spacingMs: 50 };

export function createProgressWriter(options: ProgressWriterOptions): ProgressWriter {
  const { clock, pace = defaultPace } = options;
  let reporting = 0;
  return {
    begin(event, observed) {
      let nextAt = clock.monotonic() + pace.firstMs;
      let latest: string | undefined;
      let timer: NodeJS.Timeout | undefined;
      let writing: Promise<void> | undefined;
      let isReporting = false;
      let isEnded = false;

      function schedule(): void {
        const isBusy = timer !== undefined || writing !== undefined;
        if (isEnded || isBusy || latest === undefined) return;
        timer = setTimeout(begin, Math.max(0, nextAt - clock.monotonic())).unref();
      }

      function begin(): void {
        const field = latest ?? '';
        [timer, latest] = [undefined, undefined];
        nextAt = clock.monotonic() + Math.max(pace.everyMs, reporting * pace.spacingMs);
        // A failure is ignored, as a lost race is: the next report is newer.
        writing = writeProgress(field, { event, observed }, options)
          .catch(() => undefined)
          .finally(() => {
            writing = undefined;
            schedule();
          });
      }

      return {
        report(field) {
          if (isEnded) return;
          if (!isReporting) reporting += 1;
          isReporting = true;
          latest = field;
          schedule();
        },
        async end() {
          if (!isEnded && isReporting) reporting -= 1;
          isEnded = true;
          clearTimeout(timer);
          await writing;
        },
      };
    },
  };
}

async function writeProgress(
  field: string,
  { event, observed }: { readonly event: ClaimedEvent; readonly observed: Observed },
  { resources, claims }: ProgressWriterOptions,
): Promise<void> {
  const reported = progressInField(field);
  if (reported === undefined) return;
  const progress = await maskedProgress(reported, observed);
  const resource = resources.get(keyFor(observed.resource.metadata));
  if (resource === undefined) return;
  const next = withReportedProgress(resource, event, progress);
  if (next !== undefined) await claims.writeStatus(resource, next);
}

/** @returns undefined when the resource has another delivery, or this progress already. Nothing else changes, no time either. */
function withReportedProgress(
  { status }: Resource,
  delivered: ClaimedEvent,
  progress: Progress,
): ResourceStatus | undefined {
  const { event } = status ?? {};
  if (status === undefined || event === undefined || isEventSettled(status)) return undefined;
  if (deliveryId(event) !== deliveryId(delivered)) return undefined;
  if (isDeepStrictEqual(event.progress, progress)) return undefined;
  return { ...status, event: { ...event, progress } };
}
