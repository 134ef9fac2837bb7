// One resource ends the process of its provider, in a way that the process cannot see coming: the others become ready, and the one fails
// with the last words of the process. With one pod and with three, and across a restart of Fairlead.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Author, authorOf } from '../../support/fixtures/code/author.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { Fairlead } from '../../support/servers/fairlead.ts';

let fairlead: Fairlead;
let author: Author;
let version: string;

/** Fewer than the default; the type declares them. */
const attempts = 2;
const code = `import { provider, z } from 'fairlead/provider';
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const crates = provider('crates');
const crate = crates.resource('crate', {
  description: 'A crate',
  retry: { attempts: ${attempts} },
  config: z.strictObject({
    size: z.int(),
    ends: z.boolean().default(false),
    key: z.string().optional().meta({ writeOnly: true }),
  }),
  outputs: z.object({ pid: z.int() }),
  async create({ config, log }) {
    log.info('begins');
    if (config.ends) console.log('Opens it with', config.key);
    await pause(config.ends ? 300 : 1_000);
    if (config.ends) {
      process.stderr.write('No luck today\\n');
      process.kill(process.pid, 'SIGKILL');
      await pause(60_000);
    }
    return { pid: process.pid };
  },
  update: async () => ({ pid: process.pid }),
  async delete() {},
});
export default crates.types(crate);
`;

beforeAll(async () => {
  fairlead = await Fairlead.start({
    env: { FAIRLEAD_RETRY_BASE_MS: '100' },
  });
  author = await authorOf(fairlead, 'crashes');
  ({ version } = await author.built(code));
});

afterAll(async () => {
  await fairlead?.destroy();
});

interface Stored {
  readonly spec: { readonly name: string };
  readonly status?: {
    readonly state: string;
    readonly error?: string;
    readonly event?: { readonly attempt: number; readonly crash?: string };
  };
}

const numbers = Array.from({ length: 10 }, (_, index) => index);

async function runIn(replicas: number): Promise<void> {
  await author.caller.post('/providers/crates/deploy', { version, replicas });
  await author.deploymentIs({ status: 'available', version, ready_replicas: replicas });
}

/** Ten resources, and one that ends the process of their provider. */
async function applied(run: string): Promise<void> {
  const apply = (name: string, ends: boolean) =>
    author.caller.post('/resources/apply', {
      provider: 'crates',
      resource: 'crate',
      name: `${run}-${name}`,
      config: { size: 1, ends, ...(ends && { key: 'sesame-4711' }) },
      lifecycle_state: 'pending',
    });
  await Promise.all([apply('culprit', true), ...numbers.map((each) => apply(`${each}`, false))]);
}

async function stored(): Promise<Record<string, Stored['status']>> {
  const { namespace } = author;
  const text = await fairlead.kubectl('get', 'resources', '-n', namespace, '-o', 'json');
  const { items } = JSON.parse(text) as { items: readonly Stored[] };
  return Object.fromEntries(items.map(({ spec, status }) => [spec.name, status]));
}

async function settles(run: string): Promise<void> {
  const ready = { state: 'ready', event: { attempt: 1 } };
  await eventually(async () => {
    expect(await stored()).toMatchObject({
      ...Object.fromEntries(numbers.map((each) => [`${run}-${each}`, ready])),
      [`${run}-culprit`]: {
        state: 'failed',
        error: 'crashed: The process was terminated by SIGKILL during this attempt: No luck today',
        event: { attempt: attempts, crash: 'Culprit' },
      },
    });
  }, 60_000);
}

it('with one pod, ten become ready at their first attempt, and one fails', async () => {
  await runIn(1);
  await applied('in-1');
  await settles('in-1');
});

async function restarts(): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${fairlead.place.ports[3]}/metrics`);
  const name = 'fairlead_provider_process_restarts_total';
  const labels = `organization="${author.namespace}",provider="crates"`;
  const [, value] = new RegExp(`^${name}{${labels}} (\\d+)$`, 'm').exec(await answer.text()) ?? [];
  return Number(value ?? 0);
}

/** @returns the process of its handler */
async function made(name: string): Promise<number> {
  await author.apply(name, 1);
  const read = async () => (await author.caller.get(`/resources/crates/crate/${name}`)).body;
  await eventually(async () => expect(await read()).toMatchObject({ lifecycle_state: 'ready' }));
  return ((await read()) as { outputs: { pid: number } }).outputs.pid;
}

it('a process that is killed while it has no event is replaced, as an Event and a metric tell', async () => {
  const pid = await made('before');
  const seen = await restarts();
  process.kill(pid, 'SIGKILL');
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  expect(await made('after')).not.toBe(pid);
  await eventually(async () => expect(await restarts()).toBe(seen + 1));
  const about = 'involvedObject.kind=Provider,involvedObject.name=crates,reason=ProcessRestarted';
  const events = ['get', 'events', '-n', author.namespace, '--field-selector', about, '-o', 'json'];
  await eventually(async () => {
    const { items } = JSON.parse(await fairlead.kubectl(...events)) as { items: object[] };
    expect(items).toContainEqual(
      expect.objectContaining({
        type: 'Warning',
        message:
          'A process of the provider ended, and no event is known to blame; another one runs',
      }),
    );
  });
});

it('with three pods, ten become ready at their first attempt, and one fails', async () => {
  await runIn(3);
  await applied('in-3');
  await settles('in-3');
});

it('the dead letter of the culprit, and why it failed, have what it printed, without secrets', async () => {
  const path = '/resources/crates/crate/in-1-culprit/explanation';
  const { body } = await author.caller.get(path);
  const { dead_letter: letter } = body as { dead_letter: { event_id: string } };
  const printed = [
    expect.stringMatching(/^\S+Z info begins$/),
    'Opens it with [masked]',
    'No luck today',
  ];
  expect(body).toMatchObject({ log_excerpt: printed });
  const stored = await author.caller.get(`/ops/dead-letter/${letter.event_id}`);
  expect(stored.body).toMatchObject({ log_excerpt: printed });
});

it('a restart of Fairlead in between loses and blames nobody', async () => {
  await applied('restart');
  await eventually(async () => {
    const all = Object.entries(await stored()).filter(([name]) => name.startsWith('restart-'));
    expect(all.map(([, status]) => status?.event?.crash)).toContain('Culprit');
  }, 30_000);
  await fairlead.kill();
  await fairlead.up();
  await settles('restart');
});
