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
  writeFileSync(`${file}.new`, `${inLines(JSON.parse(JSON.stringify(all, rounded)))}\n`);
  renameSync(`${file}.new`, file);
}

/** More digits are noise, and make long diffs. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(5)) : value;
}

/** JSON with a figure or point on each line: a changed value is one line of a diff. */
function inLines(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (line.length <= 120 || typeof value !== 'object' || value === null) return line;
  const inner = `${indent} `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Object.entries(value).map(([key, member]) => {
    const name = Array.isArray(value) ? '' : `${JSON.stringify(key)}: `;
    return `${inner}${name}${inLines(member, inner)}`;
  });
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
}
