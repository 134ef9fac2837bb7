// Renders times and durations for people.

const steps: readonly (readonly [string, number])[] = [
  ['y', 365 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** @returns a duration in its greatest unit, such as `3m` or `2d` */
export function ageOf(milliseconds: number): string {
  const positive = Math.max(0, milliseconds);
  const [unit, size] = steps.find(([, each]) => positive >= each) ?? ['s', 1_000];
  return `${Math.floor(positive / size)}${unit}`;
}

/** @returns the age of a time in ISO 8601, such as `3m`; empty for null */
export function since(time: string | null | undefined, now: Date): string {
  return time === null || time === undefined ? '' : ageOf(now.getTime() - Date.parse(time));
}

/** @returns an elapsed time with a tenth of a second, such as `1.2s`, from a minute on `2m05s` */
export function elapsed(milliseconds: number): string {
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)}s`;
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}

/** @returns the local time of day, with the date unless it is today */
export function clockTime(time: Date, now: Date): string {
  const pad = (figure: number) => String(figure).padStart(2, '0');
  const hours = `${pad(time.getHours())}:${pad(time.getMinutes())}`;
  if (time.toDateString() === now.toDateString()) return hours;
  return `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())} ${hours}`;
}

/** @returns a count with its noun, such as `1 file` or `3 files` */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** @returns a size such as `14 kB` */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
