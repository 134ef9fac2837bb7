// What the compiler accepts and refuses of a declaration: `npm run verify` checks it, and nothing runs it.
import { type CallOf, from, later, provider, z } from '../../../src/sdk/index.ts';

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
