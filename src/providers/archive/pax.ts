// Parses the body of a pax header, repeated `<length> <key>=<value>\n`, for the next entry. Every byte must belong to a
// record; irrelevant records, such as owners and times, are skipped.
import { badArchive } from './rules.ts';

export interface PaxOverrides {
  readonly path?: string;
  readonly size?: number;
}

/** @param global whether the header applies to all entries: then it must not set path or size */
export function paxOverrides(body: Buffer, global: boolean): PaxOverrides {
  const records = paxRecords(body);
  for (const key of records.keys()) {
    if (key === 'linkpath') throw badArchive('The archive has a link');
    if (key.startsWith('GNU.sparse')) throw badArchive('The archive has a sparse file');
    if (global && (key === 'path' || key === 'size')) throw unreadable();
  }
  const path = records.get('path');
  const size = records.get('size');
  return {
    ...(path === undefined ? {} : { path }),
    ...(size === undefined ? {} : { size: sizeFrom(size) }),
  };
}

function sizeFrom(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw unreadable();
  return Number(text);
}

function paxRecords(body: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < body.length; ) {
    const record = recordAt(body, at);
    const separator = record.indexOf('=');
    if (separator < 1) throw unreadable();
    const value = record.slice(separator + 1);
    if (value.includes('\0')) throw badArchive('The archive has a NUL in a path');
    records.set(record.slice(0, separator), value);
    at += lengthAt(body, at);
  }
  return records;
}

function recordAt(body: Buffer, at: number): string {
  const length = lengthAt(body, at);
  const end = at + length;
  const start = at + String(length).length + 1;
  if (start >= end || end > body.length || body[end - 1] !== 0x0a) throw unreadable();
  return body.toString('utf8', start, end - 1);
}

function lengthAt(body: Buffer, at: number): number {
  const [, digits] = /^([1-9]\d{0,6}) /.exec(body.toString('latin1', at, at + 8)) ?? [];
  if (digits === undefined) throw unreadable();
  return Number(digits);
}

function unreadable() {
  return badArchive('The archive has an unreadable header');
}
