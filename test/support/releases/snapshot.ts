// What a commit stores, as a file: the objects of one organization, read from etcd and written into another one as they are, with
// their uids and generations, which event ids depend on.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'undici';
import { group } from '../../../src/crds/define.ts';
import type { Definitions } from './definitions.ts';

export interface Snapshot {
  /** The commit whose program stored the objects. */
  readonly commit: string;
  readonly recordedAt: string;
  readonly definitions: Definitions;
  /** Values of etcd by their keys: custom resources as JSON, others as base64. */
  readonly stored: Readonly<Record<string, unknown>>;
  /** What the API showed of the resources. */
  readonly shown: unknown;
}

const file = join(import.meta.dirname, 'snapshot.json');
const customPrefix = `/registry/${group}/`;

export function readSnapshot(): Snapshot | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Snapshot) : undefined;
}

export function writeSnapshot(snapshot: Snapshot): void {
  writeFileSync(file, `${JSON.stringify(snapshot, null, 2)}\n`);
}

/** @returns the custom resources, the namespace of the organization and its ConfigMaps; no Secrets, and nothing that runs */
export async function storedIn(etcdSocket: string, namespace: string): Promise<Snapshot['stored']> {
  const prefixes = [
    customPrefix,
    `/registry/namespaces/${namespace}`,
    `/registry/configmaps/${namespace}/`,
  ];
  const found = await Promise.all(
    prefixes.map((prefix) => call(etcdSocket, 'range', rangeOf(prefix))),
  );
  const all = found.flatMap(({ kvs = [] }) => kvs).map(({ key, value }) => [text(key), value]);
  return Object.fromEntries(
    all.map(([key = '', value = '']) => [
      key,
      key.startsWith(customPrefix) ? JSON.parse(text(value)) : value,
    ]),
  );
}

/** Times are as long ago as they were: an operation is under way no longer than it may take. */
export async function restore(
  etcdSocket: string,
  { stored, recordedAt }: Snapshot,
  now: Date,
): Promise<void> {
  const passed = now.getTime() - Date.parse(recordedAt);
  const later = (time: string) =>
    time > recordedAt ? time : new Date(Date.parse(time) + passed).toISOString();
  for (const [key, value] of Object.entries(stored)) {
    const bytes =
      typeof value === 'string'
        ? value
        : base64(
            JSON.stringify(value).replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, later),
          );
    await call(etcdSocket, 'put', { key: base64(key), value: bytes });
  }
}

interface Found {
  readonly kvs?: readonly { readonly key: string; readonly value: string }[];
}

async function call(socketPath: string, method: 'range' | 'put', body: object): Promise<Found> {
  const etcd = new Client('http://localhost', { socketPath });
  try {
    const path = `/v3/kv/${method}`;
    const answer = await etcd.request({ method: 'POST', path, body: JSON.stringify(body) });
    if (answer.statusCode !== 200) throw new Error(`etcd answered ${answer.statusCode}`);
    return (await answer.body.json()) as Found;
  } finally {
    await etcd.close();
  }
}

/** @returns the keys with a prefix, as a half-open range: it ends where the last character is the next one */
function rangeOf(prefix: string) {
  const last = prefix.charCodeAt(prefix.length - 1);
  const end = `${prefix.slice(0, -1)}${String.fromCharCode(last + 1)}`;
  return { key: base64(prefix), range_end: base64(end) };
}

function base64(content: string): string {
  return Buffer.from(content).toString('base64');
}

function text(content: string): string {
  return Buffer.from(content, 'base64').toString();
}
