// Times as ages, with the whole time in the title.
import { ageOf } from '../../client/time.ts';
import { now } from '../live/clock.ts';
import { text } from '../text.ts';
import { localTime } from './text/local-time.ts';

/** Shows how long ago a time in ISO 8601 was, such as `3m ago`. */
export function Ago({ time }: { readonly time: string | null | undefined }) {
  if (time === null || time === undefined) return <span class="quiet">—</span>;
  const age = ageOf(now.value - Date.parse(time));
  return (
    <time dateTime={time} title={localTime(time)}>
      {text('time.ago', { age })}
    </time>
  );
}

/** Counts down to a time, such as `in 12s`. */
export function Countdown({ until }: { readonly until: string }) {
  const left = Date.parse(until) - now.value;
  const shown = left <= 0 ? text('time.now') : text('time.in', { age: ageOf(left + 999) });
  return (
    <time dateTime={until} title={localTime(until)}>
      {shown}
    </time>
  );
}
