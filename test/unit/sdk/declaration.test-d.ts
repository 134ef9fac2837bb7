// What the compiler accepts and refuses of a declaration: `npm run verify` checks it, and nothing runs it.
import {
  type CallOf,
  fail,
  from,
  gone,
  later,
  provider,
  retry,
  z,
} from '../../../src/sdk/index.ts';

declare function is<Expected>(): <Seen>(
  seen: Seen,
  ...same: [Expected] extends [Seen] ? ([Seen] extends [Expected] ? [] : [never]) : [never]
) => void;

interface Client {
  readonly run: (command: string) => Promise<string>;
  readonly close: () => Promise<void>;
}
declare function connect(url: string): Promise<Client>;

const settings = z.object({ url: z.string(), limit: z.string().transform(Number) });
const redis = provider('redis', {
  settings,
  concurrency: 16,
  async start({ settings: given, signal }) {
    is<{ url: string; limit: number }>()(given);
    is<boolean>()(signal.aborted);
    return { client: await connect(given.url) };
  },
  async stop({ client }) {
    await client.close();
  },
  async check({ settings: given, log, signal }) {
    is<boolean>()(signal.aborted);
    log.info('connects');
    await connect(given.url);
  },
});

const ConfigV1 = z.object({ size: z.int(), label: z.string().default('none') });
const OutputsV1 = z.object({ url: z.string() });
const Config = z.object({
  sizeGb: z.int().default(1),
  mode: z.enum(['fast', 'slow']),
  tags: z.array(z.string()).optional(),
});
const Outputs = z.object({ url: z.string(), region: z.string() });
const newest = {
  description: 'A database',
  config: Config,
  outputs: Outputs,
  create: () => ({ url: '', region: '' }),
  update: () => later('5s'),
  delete: () => undefined,
};

const database = redis.resource('database', {
  ...newest,
  version: 2,
  migrations: [
    from(1, { config: ConfigV1, outputs: OutputsV1 }).to(
      ({ size, label = 'none' }) => {
        is<string>()(label);
        return { sizeGb: size, mode: size > 9 ? 'fast' : 'slow', tags: [label] };
      },
      (outputs) => ({ ...outputs, region: 'eu' }),
    ),
  ],
  async create(call) {
    is<{ url: string; limit: number }>()(call.settings);
    is<string>()(call.config.mode satisfies 'fast' | 'slow' as string);
    return { url: await call.client.run(call.name), region: 'eu' };
  },
  // Its result is that of a helper with `CallOf`: without the declared type, `database` would depend on itself.
  async update(call): Promise<z.input<typeof Outputs>> {
    is<number>()(call.previousConfig.sizeGb);
    is<string>()(call.outputs.region);
    return await changed(call);
  },
  async delete({ client, outputs, previousConfig }) {
    is<string | undefined>()(outputs.region);
    is<number | undefined>()(previousConfig?.sizeGb);
    await client.run('delete');
  },
});

type DatabaseCall = CallOf<typeof database>;
async function changed({ client, config, settings: { limit } }: DatabaseCall) {
  return { url: await client.run(`${config.mode} ${limit}`), region: 'eu' };
}

redis.types(database);

redis.resource('three', {
  ...newest,
  version: 3,
  migrations: [
    from(1, { config: z.object({ gb: z.string() }), outputs: OutputsV1 }).to(
      ({ gb }) => ({ size: Number(gb) }),
      (outputs) => outputs,
    ),
    from(2, { config: ConfigV1, outputs: OutputsV1 }).to(
      () => ({ mode: 'fast' }),
      ({ url }) => ({ url, region: 'eu' }),
    ),
  ],
});

redis.resource('needs-a-default', {
  ...newest,
  version: 2,
  migrations: [
    // @ts-expect-error nobody may have declared the label
    from(1, { config: ConfigV1, outputs: OutputsV1 }).to(
      ({ label }) => ({ mode: 'fast', tags: [label] }),
      (outputs) => ({ ...outputs, region: 'eu' }),
    ),
  ],
});

redis.resource('wrong-value', {
  ...newest,
  version: 2,
  migrations: [
    // @ts-expect-error `mode` has no such value
    from(1, { config: ConfigV1, outputs: OutputsV1 }).to(
      () => ({ mode: 'quick' }),
      (outputs) => ({ ...outputs, region: 'eu' }),
    ),
  ],
});

redis.resource('wrong-outputs', {
  ...newest,
  version: 2,
  migrations: [
    // @ts-expect-error `region` is missing
    from(1, { config: ConfigV1, outputs: OutputsV1 }).to(
      () => ({ mode: 'fast' }),
      (outputs) => outputs,
    ),
  ],
});

redis.resource('wrong-middle', {
  ...newest,
  version: 3,
  migrations: [
    // @ts-expect-error version 2 has a number
    from(1, { config: z.object({ size: z.string() }), outputs: OutputsV1 }).to(
      (config) => config,
      (outputs) => outputs,
    ),
    from(2, { config: ConfigV1, outputs: OutputsV1 }).to(
      () => ({ mode: 'fast' }),
      (outputs) => ({ ...outputs, region: 'eu' }),
    ),
  ],
});

from(1, { config: ConfigV1, outputs: OutputsV1 }).to(
  // @ts-expect-error version 1 has no such field
  ({ sizeGb }) => ({ sizeGb }),
  (outputs) => outputs,
);

redis.resource('no-migrations', {
  ...newest,
  version: 2,
  update({ previousConfig, outputs }) {
    is<unknown>()(previousConfig);
    is<unknown>()(outputs);
    // @ts-expect-error nothing is known of outputs of version 1
    return { url: outputs.url, region: '' };
  },
  delete({ outputs, previousConfig }) {
    // @ts-expect-error nothing is known of outputs of version 1
    is<string>()(outputs.url);
    is<unknown>()(previousConfig);
    return undefined;
  },
});

redis.resource('first', {
  ...newest,
  update: ({ previousConfig, outputs }) => ({ url: previousConfig.mode, region: outputs.region }),
});

// @ts-expect-error outputs are checked against their schema
redis.resource('wrong-result', { ...newest, create: () => ({ url: 1, region: '' }) });

// @ts-expect-error every handler has a `config`
provider('hiding', { start: () => ({ config: 1 }) });

// @ts-expect-error every handler has a `name`, and `start` may be asynchronous
provider('hiding', { start: async () => ({ name: 'x' }) });

provider('quiet', { async start() {} }).resource('thing', {
  ...newest,
  create: ({ settings: given }) => ({ url: String(given['url']), region: '' }),
});
provider('plain').resource('thing', newest);

later('5s');
later('1.5h');
later(`${Math.random()}ms`);
// @ts-expect-error no unit
later('5 parsecs');
() => retry({ after: '90s', code: 'rate_limited', message: 'Busy' });
// @ts-expect-error no unit
() => retry({ after: '90x', code: 'busy', message: 'Busy' });
// @ts-expect-error a code has no spaces
() => retry({ after: 1, code: 'rate limited', message: 'Busy' });
() => fail('quota.Exceeded-2', 'Full');
() => fail(`http_${Number(1)}`, 'Full');
() => fail(String(1), 'Full');
() => fail(Math.random() > 0.5 ? 'a' : 'b', 'Full');
// @ts-expect-error a code has no spaces
() => fail('a b', 'Full');
// @ts-expect-error no unit
redis.resource('often', { ...newest, observe: () => gone(), observeEvery: '10x' });
redis.resource('often', { ...newest, observe: () => gone(), observeEvery: '10m' });

provider('redis-7', {});
provider(String('redis'), {});
// @ts-expect-error an upper-case letter
provider('Redis', {});
// @ts-expect-error a dash in the end
provider('redis-', {});
redis.resource('access_key-2', newest);
redis.resource(String('thing'), newest);
// @ts-expect-error an upper-case letter
redis.resource('accessKey', newest);
// @ts-expect-error a space
redis.resource('bad name', newest);
// @ts-expect-error a digit in the beginning
redis.resource('2nd', newest);

const step = from(1, { config: ConfigV1, outputs: OutputsV1 }).to(
  () => ({ mode: 'fast' }),
  ({ url }) => ({ url, region: 'eu' }),
);
// @ts-expect-error it leads to version 2
redis.resource('gap-in-the-end', { ...newest, version: 3, migrations: [step] });
// @ts-expect-error it leads to version 2, which the type needs to have
redis.resource('no-version', { ...newest, migrations: [step] });
redis.resource('gap', {
  ...newest,
  version: 4,
  migrations: [
    // @ts-expect-error from(2, …) is missing
    from(1, { config: ConfigV1, outputs: OutputsV1 }).to(
      (config) => config,
      (outputs) => outputs,
    ),
    from(3, { config: ConfigV1, outputs: OutputsV1 }).to(
      () => ({ mode: 'fast' }),
      ({ url }) => ({ url, region: 'eu' }),
    ),
  ],
});

const handlers = { create: () => later('5s'), update: () => later('5s'), delete: () => undefined };
const json = z.object({
  at: z.iso.datetime().optional(),
  any: z.unknown(),
  tree: z.json(),
  all: z.record(z.string(), z.array(z.number().nullable())),
});
redis.resource('json', { ...handlers, description: 'JSON', config: json, outputs: json });
redis.resource('date', {
  ...handlers,
  description: 'A date',
  config: json,
  // @ts-expect-error a Date is no JSON
  outputs: z.object({ created: z.date() }),
});
redis.resource('bigint', {
  ...handlers,
  description: 'A bigint in a list',
  // @ts-expect-error a bigint is no JSON
  config: z.object({ sizes: z.array(z.object({ bytes: z.bigint().optional() })) }),
  outputs: json,
});

// @ts-expect-error nothing observes
redis.resource('unobserved', { ...newest, observeEvery: '10m' });
// @ts-expect-error nothing observes
redis.resource('unobserved', { ...newest, compareDefaults: true });
// @ts-expect-error nothing observes
redis.resource('unobserved', { ...newest, list: () => ({ items: [] }) });
redis.resource('unobserved', {
  ...newest,
  // @ts-expect-error nothing observes
  adopt: z.object({ id: z.string() }),
});
redis.resource('observed', {
  ...newest,
  adopt: z.object({ id: z.string() }),
  observeEvery: '10m',
  observe({ adopt, config, client }) {
    is<string | undefined>()(adopt?.id);
    is<Client>()(client);
    return adopt === null ? gone() : { config: { sizeGb: config.sizeGb }, outputs: {} };
  },
  list: async ({ cursor }) => ({ items: [{ adopt: { id: 'x' } }], cursor: cursor ?? undefined }),
});
redis.resource('misspelt', {
  ...newest,
  // @ts-expect-error no such option
  obsrve: () => gone(),
});

// @ts-expect-error the outputs have no `host`
redis.resource('extra', { ...newest, create: () => ({ url: '', region: 'eu', host: 'h' }) });
redis.resource('extra', {
  ...newest,
  // @ts-expect-error the outputs have no `host`
  async create({ client, name }) {
    const host = await client.run(name);
    return host === '' ? later('1s') : { url: '', region: 'eu', host };
  },
});
redis.resource('extra', {
  ...newest,
  // @ts-expect-error the outputs have no `host`
  update: ({ outputs }) => ({ ...outputs, host: 'h' }),
});
redis.resource('known', {
  ...newest,
  update: ({ outputs }) => ({ ...outputs, url: 'h' }),
  create: () => (Math.random() > 0.5 ? later('1s') : { url: '', region: 'eu' }),
});
redis.resource('loose', {
  ...handlers,
  description: 'Any output',
  config: json,
  outputs: z.looseObject({ mode: z.enum(['a', 'b']), note: z.string().optional() }),
  create: () => ({ mode: 'a' as const, more: 1 }),
});
redis.resource('optional', {
  ...handlers,
  description: 'An optional output',
  config: json,
  outputs: z.object({ mode: z.enum(['a', 'b']), note: z.string().optional() }),
  create({ name }) {
    if (name === '') fail('empty', 'No');
    return name === 'x' ? { mode: 'a' as const } : { mode: 'b' as const, note: 'x' };
  },
});
