// Lifecycle throughput, and writes per lifecycle: apply → ready through Fairlead, against the same three writes bare.
import { keyOf, objectNameOf } from '../../src/domain/identity.ts';
import { cpuMs, inParallel } from '../measure.ts';
import type { RawClient } from '../setup/raw.ts';
import { configOf, type OwnSubject, rawGroup, type Subject } from '../setup/subject.ts';

const width = 32;

export interface Sample {
  readonly perSecond: number;
  readonly cpuMsPerResource: number;
}

/** `count` resources from the first apply until a separate watch shows the last as ready. */
export async function throughFairlead(
  subject: Subject,
  prefix: string,
  count: number,
  atATime = width,
): Promise<Sample> {
  const { raw, path } = subject;
  const create = (name: string) => subject.apply(name);
  return await untilReady({ raw, path, pids: subject.pids(), create }, { prefix, count, atATime });
}

interface Measured {
  readonly raw: RawClient;
  /** Path of the resources. */
  readonly path: string;
  /** The processes that do the work. */
  readonly pids: readonly number[];
  create(name: string): Promise<unknown>;
}

interface Load {
  readonly prefix: string;
  readonly count: number;
  readonly atATime?: number;
}

/** From the first create until a separate watch shows the last as ready. */
export async function untilReady(
  { raw, path, pids, create }: Measured,
  { prefix, count, atATime = width }: Load,
): Promise<Sample> {
  const ready = new Set<string>();
  const all = Promise.withResolvers<void>();
  const watch = await raw.watch(path, ({ spec, status }) => {
    if (!spec.name.startsWith(prefix) || status?.state !== 'ready') return;
    ready.add(spec.name);
    if (ready.size === count) all.resolve();
  });
  const cpu = cpuMs(pids);
  const start = performance.now();
  await inParallel(count, atATime, async (index) => {
    await create(`${prefix}${index}`);
  });
  await all.promise;
  const seconds = (performance.now() - start) / 1_000;
  watch.stop();
  return { perSecond: count / seconds, cpuMsPerResource: (cpuMs(pids) - cpu) / count };
}

/** Create, status `processing`, status `ready`, with the same bytes. */
export async function throughBareClient(
  subject: OwnSubject,
  prefix: string,
  count: number,
): Promise<Sample> {
  const { raw, rawPath } = subject;
  const cpu = cpuMs([process.pid]);
  const start = performance.now();
  await inParallel(count, width, async (index) => {
    const created = (await raw.send(
      'POST',
      rawPath,
      bareObject(`${prefix}${index}`),
    )) as BareObject;
    const claimed = (await raw.send('PUT', `${rawPath}/${created.metadata.name}/status`, {
      ...created,
      status: bareStatus('processing'),
    })) as BareObject;
    await raw.send('PUT', `${rawPath}/${created.metadata.name}/status`, {
      ...claimed,
      status: { ...bareStatus('ready'), outputs: { ok: true }, appliedConfig: created.spec.config },
    });
  });
  const seconds = (performance.now() - start) / 1_000;
  return { perSecond: count / seconds, cpuMsPerResource: (cpuMs([process.pid]) - cpu) / count };
}

/** Drafts, of which Fairlead only stores the declaration. @returns applies per second */
export async function applyDrafts(subject: Subject, prefix: string, count: number) {
  return await perSecond({ count }, (index) => subject.apply(`${prefix}${index}`, 'draft'));
}

/** The same objects. @returns creates per second */
export async function createBare(
  { raw, rawPath }: Pick<OwnSubject, 'raw' | 'rawPath'>,
  prefix: string,
  { count, atOnce = width }: Pick<Load, 'count'> & { readonly atOnce?: number },
) {
  return await perSecond({ count, atOnce }, async (index) => {
    await raw.send('POST', rawPath, bareObject(`${prefix}${index}`));
  });
}

async function perSecond(
  { count, atOnce = width }: { readonly count: number; readonly atOnce?: number },
  work: (index: number) => Promise<void>,
): Promise<number> {
  const start = performance.now();
  await inParallel(count, atOnce, work);
  return (count * 1_000) / (performance.now() - start);
}

interface BareObject {
  readonly metadata: { name: string };
  readonly spec: { config: unknown };
}

export function bareObject(name: string, group = rawGroup) {
  const tuple = { provider: 'noop', resource: 'thing', name };
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: 'Resource',
    metadata: {
      name: objectNameOf(keyOf(tuple)),
      labels: { 'fairlead.dev/provider': 'noop' },
      annotations: { 'fairlead.dev/updated-at': new Date().toISOString() },
    },
    spec: {
      ...tuple,
      project: 'default-0123456789ab',
      lifecycle: 'Committed',
      config: configOf(name),
    },
  };
}

export function bareStatus(state: string) {
  const now = new Date().toISOString();
  const condition = {
    status: 'False',
    reason: 'Processing',
    message: state,
    lastTransitionTime: now,
  };
  return {
    state,
    reason: 'Processing',
    observedGeneration: 1,
    content: '0'.repeat(32),
    event: {
      id: `evt-${'0'.repeat(32)}`,
      type: 'CREATE',
      generation: 1,
      content: '0'.repeat(32),
      declared: '0'.repeat(32),
      attempt: 1,
      sequence: 1,
      startedAt: now,
    },
    conditions: [
      { type: 'Ready', ...condition },
      { type: 'Reconciling', ...condition },
    ],
  };
}
