// Measures what reads cost beside few and beside many resources: a page of 50, pages of ten readers at once, and the whole list beside
// a bare client that reads and parses the same. Drafts are written directly to the API server, as creating them is not measured.
import { performance } from 'node:perf_hooks';
import { objectNameOf } from '../src/domain/identity.ts';
import { eventually } from '../test/support/eventually.ts';
import { type Caller, Fairlead } from '../test/support/fairlead.ts';
import { inParallel, median } from './measure.ts';
import { type RawClient, rawClient } from './raw.ts';

export const few = 200;
export const many = 20_000;
const pageSize = 50;
const samples = 40;
const readers = 10;
const pagesOfAll = 300;

export interface ReadsRound {
  /** Milliseconds of a page of 50 in the middle of the list. */
  readonly fewPage: number;
  readonly manyPage: number;
  /** The same pages of the API server through the bare client. */
  readonly fewRaw: number;
  readonly manyRaw: number;
  /** Pages per second of ten readers, beside many resources. */
  readonly pagesPerSecond: number;
  /** Time of the whole list beside many resources, relative to the bare client. */
  readonly wholeRatio: number;
}

export async function measureReads(rounds: number): Promise<readonly ReadsRound[]> {
  await using stack = new AsyncDisposableStack();
  const fairlead = await Fairlead.start({ env: { FAIRLEAD_LIMIT_RESOURCES: String(2 * many) } });
  stack.defer(() => fairlead.destroy());
  const raw = rawClient(fairlead.kubeconfig);
  stack.defer(() => raw.close());
  const small = await filled(fairlead, raw, { organization: 'few', count: few });
  const large = await filled(fairlead, raw, { organization: 'many', count: many });
  const measured: ReadsRound[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = await pageMs(small.caller);
    const one = await pageMs(large.caller);
    const two = await pageMs(large.caller);
    const last = await pageMs(small.caller);
    measured.push({
      fewPage: (first + last) / 2,
      manyPage: (one + two) / 2,
      fewRaw: await rawPageMs(small, raw),
      manyRaw: await rawPageMs(large, raw),
      pagesPerSecond: await pagesPerSecond(large.caller),
      wholeRatio: await wholeRatio(large, raw),
    });
  }
  return measured;
}

interface Filled {
  readonly caller: Caller;
  /** The resources of the organization in the API server. */
  readonly path: string;
}

async function filled(
  fairlead: Fairlead,
  raw: RawClient,
  { organization, count }: { organization: string; count: number },
): Promise<Filled> {
  const caller = await fairlead.caller(organization);
  const { namespace } = (await caller.get('/auth/me')).body as { namespace: string };
  const [project] = (await caller.get('/projects')).body as readonly { project_id: string }[];
  await caller.post('/resources/register', { provider: 'box', resource: 'crate' });
  const path = `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/resources`;
  const config = { note: 'x'.repeat(500) };
  await inParallel(count, 32, async (at) => {
    const name = `crate-${String(at).padStart(6, '0')}`;
    const tuple = { provider: 'box', resource: 'crate', name };
    await raw.send('POST', path, {
      apiVersion: 'fairlead.dev/v1alpha1',
      kind: 'Resource',
      metadata: { name: objectNameOf(`box_crate_${name}`), namespace },
      spec: { ...tuple, project: project?.project_id, lifecycle: 'Draft', config },
    });
  });
  // The controller writes a status to each: while it does, nothing is measured.
  await eventually(async () => {
    const text = await raw.text(`${path}?limit=1&fieldSelector=status.state%21%3Ddraft`);
    const { items } = JSON.parse(text) as { items: readonly unknown[] };
    if (items.length > 0) throw new Error('drafts without a status are left');
  }, 600_000);
  return { caller, path };
}

async function pageMs(caller: Caller): Promise<number> {
  const { headers } = await caller.get(`/resources/?limit=${pageSize}`);
  const next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
  const times: number[] = [];
  for (let at = 0; at < samples; at += 1) {
    const startedAt = performance.now();
    const { status, body } = await caller.get(next);
    times.push(performance.now() - startedAt);
    if (status !== 200 || (body as readonly unknown[]).length !== pageSize)
      throw new Error(`a page is answered ${status}`);
  }
  return median(times);
}

async function rawPageMs({ path }: Filled, raw: RawClient): Promise<number> {
  const first = (await raw.send('GET', `${path}?limit=${pageSize}`)) as {
    readonly metadata: { readonly continue: string };
  };
  const next = `${path}?limit=${pageSize}&continue=${encodeURIComponent(first.metadata.continue)}`;
  const times: number[] = [];
  for (let at = 0; at < samples; at += 1) {
    const startedAt = performance.now();
    await raw.send('GET', next);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

async function pagesPerSecond(caller: Caller): Promise<number> {
  const startedAt = performance.now();
  await inParallel(pagesOfAll, readers, async () => {
    await caller.get(`/resources/?limit=${pageSize}`);
  });
  return (pagesOfAll * 1_000) / (performance.now() - startedAt);
}

async function wholeRatio({ caller, path }: Filled, raw: RawClient): Promise<number> {
  const times = { ours: [] as number[], bare: [] as number[] };
  for (const side of ['bare', 'ours', 'ours', 'bare'] as const) {
    const startedAt = performance.now();
    const count =
      side === 'ours'
        ? ((await caller.get('/resources/')).body as readonly unknown[]).length
        : (JSON.parse(await raw.text(path)) as { items: readonly unknown[] }).items.length;
    times[side].push(performance.now() - startedAt);
    if (count !== many) throw new Error(`the list has ${count} resources`);
  }
  return median(times.ours) / median(times.bare);
}
