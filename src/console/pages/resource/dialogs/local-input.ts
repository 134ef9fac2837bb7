// The value of an input of the type `datetime-local`: a time in the zone of the browser, to the minute. Pure.

/** @returns a time in ISO 8601 as such an input has it, such as `2026-02-01T08:00` */
export function localInput(time: string): string {
  const date = new Date(time);
  const local = date.getTime() - date.getTimezoneOffset() * 60_000;
  return new Date(local).toISOString().slice(0, 16);
}

/** @returns the time in UTC; undefined while it is incomplete */
export function timeIn(input: string): string | undefined {
  const date = new Date(input);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
