// Writes the JSON text of a large object, and lets others run every few milliseconds.
import { inTimeSlices } from './turns.ts';

/** @returns the text that `JSON.stringify` makes. The items of the lists that the object has are written one by one */
export async function longJsonText(value: Readonly<Record<string, unknown>>): Promise<string> {
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const text = Array.isArray(member) ? await longListText(member) : JSON.stringify(member);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

async function longListText(items: readonly unknown[]): Promise<string> {
  const texts: string[] = [];
  await inTimeSlices(items, (item) => {
    texts.push(JSON.stringify(item) ?? 'null');
  });
  return `[${texts.join(',')}]`;
}
