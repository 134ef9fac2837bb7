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

it.each([1, 3])(
  'with %d pods, ten become ready at their first attempt, and one fails',
  async (replicas) => {
    await runIn(replicas);
    await applied(`in-${replicas}`);
    await settles(`in-${replicas}`);
  },
);

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
