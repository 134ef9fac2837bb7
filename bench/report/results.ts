// Keeps the newest results of each part in docs/performance/results.json, so that parts can be measured at different times.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Measured } from './figures.ts';
import type { Setting } from './setting.ts';

export interface Result extends Measured {
  /** ISO 8601, of the start. */
  readonly at: string;
  readonly seconds: number;
  readonly setting: Setting;
}

/** By name of the part. */
export type Results = Readonly<Record<string, Result>>;

export const docs = join(import.meta.dirname, '../../docs');
const file = join(docs, 'performance/results.json');

export function readResults(): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};
}

export function keepResult(name: string, result: Result): void {
  const all = { ...readResults(), [name]: result };
  mkdirSync(dirname(file), { recursive: true });
  // Not half a file when the programme is stopped.
  writeFileSync(`${file}.new`, `${JSON.stringify(all, rounded, 1)}\n`);
  renameSync(`${file}.new`, file);
}

/** More digits are noise, and make long diffs. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(5)) : value;
}
