// Reaction latency on an idle system: from the answer of an apply until the provider's handler starts (a watch, a claim
// written, a signed event), against the time from a bare create being sent until a bare watch shows the object.

import type { OwnSubject, Subject } from '../setup/subject.ts';
import { bareObject } from './lifecycle.ts';

/** @returns milliseconds, one per apply; 0 when the handler started before the apply was answered */
export async function applyToHandler(
  subject: Subject,
  prefix: string,
  count: number,
): Promise<number[]> {
  const seen = expectations();
  const settled = expectations();
  subject.onEvent((name) => seen.arrived(name));
  const watch = await subject.raw.watch(subject.path, ({ spec, status }) => {
    if (status?.state === 'ready') settled.arrived(spec.name);
  });
  const values: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `${prefix}${index}`;
    const arrival = seen.expect(name);
    // The system is idle again when the result of the one before is recorded.
    const rest = settled.expect(name);
    await subject.apply(name);
    const answered = performance.now();
    values.push(Math.max(0, (await arrival) - answered));
    await rest;
  }
  watch.stop();
  return values;
}

/** @returns milliseconds, one per create */
export async function writeToWatch(
  subject: OwnSubject,
  prefix: string,
  count: number,
): Promise<number[]> {
  const { raw, rawPath } = subject;
  const seen = expectations();
  const watch = await raw.watch(rawPath, ({ spec }) => seen.arrived(spec.name));
  const values: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `${prefix}${index}`;
    const arrival = seen.expect(name);
    const sent = performance.now();
    await raw.send('POST', rawPath, bareObject(name));
    values.push((await arrival) - sent);
  }
  watch.stop();
  return values;
}

function expectations() {
  const waiting = new Map<string, (at: number) => void>();
  return {
    expect: (name: string) =>
      new Promise<number>((resolve) => {
        waiting.set(name, resolve);
      }),
    arrived: (name: string) => {
      waiting.get(name)?.(performance.now());
      waiting.delete(name);
    },
  };
}
