// The value of an input of the type `datetime-local`: a time in the zone of the browser, to the minute. Pure.

/** @returns a time in ISO 8601 as such an input has it, such as `2026-02-01T08:00` */
export function localInput(time: string): string {
  const date = new Date(time);
  const pad = (figure: number) => String(figure).padStart(2, '0');
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** @returns the time in UTC; undefined while it is incomplete */
export function timeIn(input: string): string | undefined {
  const date = new Date(input);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
