// Measures what reads cost beside few and beside many resources: a page of 50, pages of ten readers at once, and the whole list beside
// a bare client that reads and parses the same.
import { Pool } from 'undici';
import { keyOf, objectNameOf } from '../src/domain/identity.ts';
import { request } from '../test/support/servers/fairlead.ts';
import { inParallel, median } from './measure.ts';
import { type Pages, pagesOf, rawPageMs } from './pages.ts';
import { copyResource } from './setup/copies.ts';
import { type Installation, openInstallation } from './setup/installation.ts';
import type { RawClient } from './setup/raw.ts';
import { startReplica } from './setup/start.ts';
import { createSubject, type Target } from './setup/subject.ts';
import { throughFairlead } from './writes/lifecycle.ts';

export const few = 200;
export const many = 20_000;
const oneOfAll = 400;
const oneWidth = 16;
const tuple = { provider: 'noop', resource: 'thing', name: 'original-0' };

export interface ReadsRound {
  /** Milliseconds of a page of 50 behind the first. */
  readonly fewPage: number;
  readonly manyPage: number;
  /** The same pages of the API server through the bare client. */
  readonly fewRaw: number;
  readonly manyRaw: number;
  /** Pages per second of ten readers, beside many resources. */
  readonly pagesPerSecond: number;
  /** Requests per second for one resource, relative to the bare client. */
  readonly oneRatio: number;
  /** Time of the whole list beside many resources, relative to the bare client. */
  readonly wholeRatio: number;
}

export async function measureReads(
  rounds: number,
  say: (line: string) => void,
): Promise<readonly ReadsRound[]> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await openInstallation());
  const { raw } = installation;
  const replica = installation.replica('only');
  await replica.start();
  const target = installation.target(replica);
  const small = await begin(target, 'few');
  const large = await begin(target, 'many');
  await replica.drain();
  say(`copies ${few + many} resources`);
  await fill(installation, small, few);
  await fill(installation, large, many);
  await startReplica(replica, few + many);
  const measured: ReadsRound[] = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1} of ${rounds}`);
    const first = await small.pages.middle();
    const one = await large.pages.middle();
    const two = await large.pages.middle();
    const last = await small.pages.middle();
    measured.push({
      fewPage: (first + last) / 2,
      manyPage: (one + two) / 2,
      fewRaw: await rawPageMs(small.path, raw),
      manyRaw: await rawPageMs(large.path, raw),
      pagesPerSecond: await large.pages.perSecond(),
      oneRatio: await oneRatio(large, raw),
      wholeRatio: await wholeRatio(large, raw),
    });
  }
  return measured;
}

interface Organization {
  readonly url: string;
  readonly token: string;
  readonly namespace: string;
  /** Its resources in the API server. */
  readonly path: string;
  readonly pages: Pages;
}

/** With one resource. */
async function begin(target: Target, organization: string): Promise<Organization> {
  const subject = await createSubject(target, organization);
  await throughFairlead(subject, 'original-', 1);
  await subject.close();
  const { url } = target;
  const { token, namespace, path } = subject;
  return { url, token, namespace, path, pages: pagesOf({ url, token }) };
}

async function fill({ etcd, raw }: Installation, { namespace }: Organization, count: number) {
  await copyResource({ etcd, raw, namespace, tuple }, { from: 1, to: count });
}

async function oneRatio({ url, token, path }: Organization, raw: RawClient): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const pool = new Pool(url, { connections: oneWidth, pipelining: 1 });
  stack.defer(() => pool.destroy());
  const headers = { authorization: `Bearer ${token}` };
  const ours = async () => {
    const answer = await pool.request({
      method: 'GET',
      path: '/resources/noop:thing:original-0',
      headers,
    });
    if (answer.statusCode !== 200) throw new Error(`one resource is answered ${answer.statusCode}`);
    await answer.body.json();
  };
  const bare = async () => {
    await raw.send('GET', `${path}/${objectNameOf(keyOf(tuple))}`);
  };
  const first = await perSecond(bare);
  const between = (await perSecond(ours)) + (await perSecond(ours));
  return between / (first + (await perSecond(bare)));
}

async function perSecond(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await inParallel(oneOfAll, oneWidth, work);
  return (oneOfAll * 1_000) / (performance.now() - startedAt);
}

async function wholeRatio({ url, token, path }: Organization, raw: RawClient): Promise<number> {
  const times = { ours: [] as number[], bare: [] as number[] };
  for (const side of ['bare', 'ours', 'ours', 'bare'] as const) {
    const startedAt = performance.now();
    const count = side === 'ours' ? await listed(url, token) : await listedRaw(path, raw);
    times[side].push(performance.now() - startedAt);
    if (count !== many) throw new Error(`the list has ${count} resources`);
  }
  return median(times.ours) / median(times.bare);
}

async function listed(url: string, token: string): Promise<number> {
  const { body } = await request(`${url}/resources/`, { method: 'GET', token });
  return (body as readonly unknown[]).length;
}

async function listedRaw(path: string, raw: RawClient): Promise<number> {
  return (JSON.parse(await raw.text(path)) as { items: readonly unknown[] }).items.length;
}
