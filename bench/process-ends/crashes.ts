// Measures what the end of one process costs the events beside it, through everything: an apply over HTTP, the controller, pods of the local
// node. Six handlers of 8 s run beside one that ends its process or blocks it.
import { setTimeout as pause } from 'node:timers/promises';
import { tarOf } from '../../test/support/fixtures/code/archives.ts';
import { eventually } from '../../test/support/runner/eventually.ts';
import { type Caller, Fairlead } from '../../test/support/servers/fairlead.ts';

/** The ways in which a handler ends its process, with the seconds in which all innocents must be ready. */
export const ways = {
  rejection: { title: 'a rejection', atMost: 20 },
  timer: { title: 'a throw in a timer', atMost: 20 },
  exit: { title: '`process.exit`', atMost: 20 },
  signal: { title: 'a signal', atMost: 40 },
  heap: { title: 'a full heap', atMost: 90 },
  buffers: { title: 'memory outside the heap', atMost: 90 },
  loop: { title: '`for (;;)`', atMost: 40 },
} as const;

export type Way = keyof typeof ways;

const innocents = 6;
/** An unrelated resource is created this long after the culprit, and then each second. */
const unrelatedMs = 1_000;
const unrelated = 5;
const limitMs = 180_000;

const code = `import { provider, z } from 'fairlead/provider';
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const never = () => new Promise(() => undefined);
const kept = [];
const ways = {
  async rejection() { void Promise.reject(new Error('no key')); await never(); },
  async timer() { setTimeout(() => { throw new Error('Boom'); }, 1); await never(); },
  async exit() { process.exit(3); },
  async signal() { process.kill(process.pid, 'SIGSEGV'); await never(); },
  async heap() {
    for (;;) {
      kept.push(Array.from({ length: 100_000 }, (_each, value) => ({ value })));
      await pause(1);
    }
  },
  async buffers() {
    for (;;) {
      kept.push(Buffer.alloc(8_000_000, 1));
      await pause(5);
    }
  },
  async loop() { for (;;); },
};
const crates = provider('crates');
const crate = crates.resource('crate', {
  description: 'A crate',
  timeoutSeconds: 60,
  retry: { attempts: 1 },
  config: z.strictObject({ ms: z.int(), way: z.string().optional() }),
  outputs: z.object({ made: z.boolean() }),
  async create({ config }) {
    await pause(config.ms);
    if (config.way !== undefined) await ways[config.way]();
    return { made: true };
  },
  update: () => ({ made: true }),
  delete: () => undefined,
});
export default crates.types(crate);
`;

/** Seconds from the apply of the culprit. */
export interface CrashTimes {
  /** Until the last innocent is ready. */
  readonly innocents: number;
  /** The longest that an unrelated create took. */
  readonly unrelated: number;
  /** Until the culprit has failed. */
  readonly culprit: number;
  readonly attempts: readonly number[];
  readonly error: string;
}

export interface CrashBench extends AsyncDisposable {
  deploy(replicas: number): Promise<void>;
  /** @param restarts the process of Fairlead is killed one second after the apply, and started again */
  run(way: Way, restarts?: boolean): Promise<CrashTimes>;
}

export async function openCrashBench(): Promise<CrashBench> {
  const fairlead = await Fairlead.start();
  const caller = await fairlead.caller('crashes');
  const version = await built(fairlead, caller);
  let runs = 0;

  async function measured(way: Way, restarts: boolean): Promise<CrashTimes> {
    runs += 1;
    const prefix = `run-${runs}-`;
    const names = Array.from({ length: innocents }, (_each, index) => `${prefix}${index}`);
    await Promise.all(names.map((name) => apply(caller, name, { ms: 8_000 })));
    await pause(500);
    const from = performance.now();
    const seconds = () => (performance.now() - from) / 1_000;
    await apply(caller, `${prefix}culprit`, { ms: 300, way });
    const until = async (name: string, state: string) => {
      const record = await settled(caller, name);
      const at = seconds();
      if (record.lifecycle_state !== state) {
        throw new Error(
          `${way}: ${name} is ${record.lifecycle_state}, not ${state}: ${record.error}`,
        );
      }
      return { at, record };
    };
    const all = Promise.all(names.map((name) => until(name, 'ready')));
    const culprit = until(`${prefix}culprit`, 'failed');
    if (restarts) {
      await pause(1_000);
      await fairlead.kill();
      await fairlead.up();
    }
    const others = restarts ? [] : await createUnrelated(caller, prefix);
    const [ready, { at, record }] = await Promise.all([all, culprit]);
    return {
      innocents: Math.max(...ready.map((each) => each.at)),
      unrelated: Math.max(0, ...others),
      culprit: at,
      attempts: await attemptsOf(names),
      error: record.error ?? '',
    };
  }

  /** @returns the number of the last attempt of each */
  async function attemptsOf(names: readonly string[]): Promise<readonly number[]> {
    const { namespace } = (await caller.get('/auth/me')).body as { namespace: string };
    const text = await fairlead.kubectl('get', 'resources', '-n', namespace, '-o', 'json');
    const { items } = JSON.parse(text) as { items: readonly StoredResource[] };
    const own = items.filter(({ spec }) => names.includes(spec.name));
    return own.map(({ status }) => status?.event?.attempt ?? 1);
  }

  return {
    async deploy(replicas) {
      await caller.post('/providers/crates/deploy', { version, replicas });
      await eventually(async () => {
        const { body } = await caller.get('/providers/crates/deployment');
        const { status, ready_replicas: ready } = body as Readonly<Record<string, unknown>>;
        if (status !== 'available' || ready !== replicas) throw new Error(JSON.stringify(body));
      }, 60_000);
    },
    run: async (way, restarts = false) => await measured(way, restarts),
    [Symbol.asyncDispose]: () => fairlead.destroy(),
  };
}

async function built({ url }: Fairlead, caller: Caller): Promise<string> {
  const manifest = { name: 'crates', version: '1.0.0', type: 'module', exports: './index.ts' };
  const files = [
    { path: 'package.json', body: JSON.stringify(manifest) },
    { path: 'index.ts', body: code },
  ];
  const form = new FormData();
  form.set('code', new Blob([new Uint8Array(tarOf(...files))]), 'code.tar');
  const headers = { authorization: `Bearer ${caller.token}` };
  const answer = await fetch(`${url}/providers/crates/push`, {
    method: 'POST',
    headers,
    body: form,
  });
  const { version, job_name: job } = (await answer.json()) as Readonly<Record<string, string>>;
  await eventually(async () => {
    const { body } = await caller.get(`/providers/crates/builds/${job}`);
    if ((body as { status?: string }).status !== 'success') throw new Error(JSON.stringify(body));
  }, 120_000);
  return version ?? '';
}

async function apply(caller: Caller, name: string, config: object): Promise<void> {
  const body = { provider: 'crates', resource: 'crate', name, config, lifecycle_state: 'pending' };
  const { status, body: answer } = await caller.post('/resources/apply', body);
  if (status !== 200) throw new Error(`the apply of ${name}: ${status} ${JSON.stringify(answer)}`);
}

/** @returns how many seconds each took */
async function createUnrelated(caller: Caller, prefix: string): Promise<readonly number[]> {
  const times: Promise<number>[] = [];
  for (let index = 0; index < unrelated; index += 1) {
    await pause(unrelatedMs);
    times.push(createOne(caller, `${prefix}other-${index}`));
  }
  return await Promise.all(times);
}

async function createOne(caller: Caller, name: string): Promise<number> {
  const from = performance.now();
  await apply(caller, name, { ms: 0 });
  const { lifecycle_state: state } = await settled(caller, name);
  if (state !== 'ready') throw new Error(`${name} is ${state}`);
  return (performance.now() - from) / 1_000;
}

interface StoredResource {
  readonly spec: { readonly name: string };
  readonly status?: { readonly event?: { readonly attempt: number } };
}

interface ResourceState {
  readonly lifecycle_state: string;
  readonly error?: string | null;
}

async function settled(caller: Caller, name: string): Promise<ResourceState> {
  const until = performance.now() + limitMs;
  for (;;) {
    // While Fairlead is down, nothing answers.
    const reply = await caller.get(`/resources/crates:crate:${name}`).catch(() => undefined);
    const record = reply?.body as ResourceState | undefined;
    if (record?.lifecycle_state === 'ready' || record?.lifecycle_state === 'failed') return record;
    if (performance.now() > until) throw new Error(`${name} is ${record?.lifecycle_state}`);
    await pause(50);
  }
}
