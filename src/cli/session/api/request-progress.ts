// Counts many alike requests on one line, such as `sent 1,204 of 2,000, 44/s, 18 s left`. The line goes when they are done; where
// nothing is redrawn, there is one every half minute.
import { figure } from '../../../lib/text.ts';
import { type Invocation, startProgress } from '../invocation.ts';

const notedMs = 30_000;
/** The rate is that of the last ones: a limiter lets the first ones pass at once. */
const measured = 200;

/** @param run receives what it calls for each request that is done, or with how many of how many are done */
export async function withRequestProgress<R>(
  invocation: Invocation,
  { word, total }: { word: string; total: number },
  run: (done: () => void, reach: (count: number, of: number) => void) => Promise<R>,
): Promise<R> {
  const { environment, talk } = invocation;
  const now = () => environment.now().getTime();
  const progress = startProgress(invocation);
  const times = [now()];
  let [count, notedAt] = [0, now()];
  const reach = (reached: number, of: number) => {
    for (; count < reached; count += 1) times.push(now());
    times.splice(0, times.length - measured);
    const line = `${word} ${requestProgressText({ count, total: of, times })}`;
    progress.setTail([`  ${line}`]);
    if (progress.isLive || now() - notedAt < notedMs) return;
    notedAt = now();
    talk.note(line);
  };
  try {
    return await run(() => reach(count + 1, total), reach);
  } finally {
    progress.stop();
  }
}

/** @param times in milliseconds, from the oldest of the last requests to the present one */
export function requestProgressText(requests: {
  count: number;
  total: number;
  times: readonly number[];
}): string {
  const { count, total, times } = requests;
  const [first = 0, last = first] = [times[0], times.at(-1)];
  const text = `${figure(count)} of ${figure(total)}`;
  if (last - first < 1_000) return text;
  const perSecond = (1_000 * (times.length - 1)) / (last - first);
  const seconds = Math.ceil((total - count) / perSecond);
  const left = seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return `${text}, ${figure(Number(perSecond.toPrecision(2)))}/s, ${left} left`;
}
