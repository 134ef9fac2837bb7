// Whole times, for those who look behind an age. Pure.

/** @returns the time in the zone and language of the browser, with the name of the zone */
export function localTime(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
}
