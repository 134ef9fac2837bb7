// What the compiler accepts and refuses of `observe`, `list` and `adopt`: `npm run verify` checks it, and nothing runs it.
import { from, gone, later, provider, z } from '../../../../src/sdk/index.ts';

declare function is<Expected>(): <Seen>(
  seen: Seen,
  ...same: [Expected] extends [Seen] ? ([Seen] extends [Expected] ? [] : [never]) : [never]
) => void;

declare const find: (by: string) => Promise<{ size: number; zone: string } | undefined>;

const settings = z.object({ region: z.string() });
const Config = z.strictObject({
  size: z.int(),
  zone: z.string().default('a'),
  auth: z.object({ user: z.string(), password: z.string() }).optional(),
  rules: z.array(z.object({ port: z.int(), note: z.string() })).default([]),
});
const Outputs = z.object({ url: z.string(), made: z.boolean().default(true) });
const type = {
  description: 'A bucket',
  config: Config,
  outputs: Outputs,
  create: () => ({ url: '' }),
  update: () => ({ url: '' }),
  delete: () => undefined,
};
const adopt = z.object({ id: z.string(), zone: z.string().default('a') });

const cloud = provider('cloud', { settings, start: () => ({ client: find }) });

cloud.resource('bucket', {
  ...type,
  observeEvery: '10m',
  adopt,
  async observe({ config, outputs, adopt: adopted, client, settings: given, name }) {
    is<number | undefined>()(config.size);
    is<string | undefined>()(config.zone);
    is<string | undefined>()(outputs.url);
    is<{ id: string; zone: string } | null>()(adopted);
    is<{ region: string }>()(given);
    const found = await client(adopted?.id ?? outputs.url ?? name);
    if (found === undefined) return gone();
    // The form of the input: fields with defaults, and what cannot be read, may be missing at any depth.
    return {
      config: { size: found.size, auth: { user: 'me' }, rules: [{ port: 80 }] },
      outputs: { url: found.zone },
    };
  },
  async list({ cursor, client, settings: given }) {
    is<string | null>()(cursor);
    is<{ region: string }>()(given);
    await client('all');
    return { items: [{ adopt: { id: '1' }, name: undefined, config: { size: 3 } }] };
  },
});

cloud.resource('without-adopt', {
  ...type,
  observe({ adopt: adopted }) {
    is<string | undefined>()(typeof adopted?.['id'] === 'string' ? adopted['id'] : undefined);
    return { config: {}, outputs: {} };
  },
  list: () => ({ items: [{ adopt: { anything: ['goes'] } }], cursor: '2' }),
});

cloud.resource('no-migrations', {
  ...type,
  version: 2,
  observe({ config, outputs }) {
    // @ts-expect-error nothing is known of configs of version 1
    is<number | undefined>()(config.size);
    // @ts-expect-error nothing is known of outputs of version 1
    is<string | undefined>()(outputs.url);
    return gone();
  },
});

cloud.resource('migrated', {
  ...type,
  version: 2,
  migrations: [
    from(1, { config: z.object({ gb: z.int() }), outputs: Outputs }).to(
      ({ gb }) => ({ size: gb }),
      (outputs) => outputs,
    ),
  ],
  observe({ config, outputs }) {
    is<number | undefined>()(config.size);
    is<boolean | undefined>()(outputs.made);
    return gone();
  },
});

// @ts-expect-error an observation has no later end
cloud.resource('wrong', { ...type, observe: () => later('5s') });

// @ts-expect-error nothing is no observation
cloud.resource('wrong', { ...type, observe: () => undefined });

// @ts-expect-error outputs are missing
cloud.resource('wrong', { ...type, observe: () => ({ config: {} }) });

// @ts-expect-error `size` is a number
cloud.resource('wrong', { ...type, observe: () => ({ config: { size: '3' }, outputs: {} }) });

cloud.resource('wrong', {
  ...type,
  // @ts-expect-error `port` is a number
  observe: () => ({ config: { rules: [{ port: '1' }] }, outputs: {} }),
});

// @ts-expect-error `url` is a text
cloud.resource('wrong', { ...type, observe: () => ({ config: {}, outputs: { url: 3 } }) });

cloud.resource('wrong', {
  ...type,
  adopt,
  observe: () => gone(),
  // @ts-expect-error the schema `adopt` has no such member
  list: () => ({ items: [{ adopt: { name: 'x' } }] }),
});

// @ts-expect-error items are required
cloud.resource('wrong', { ...type, observe: () => gone(), list: () => ({}) });

// @ts-expect-error an interval is a text
cloud.resource('wrong', { ...type, observe: () => gone(), observeEvery: 600 });

// @ts-expect-error `observe` receives `adopt`
provider('hiding', { start: () => ({ adopt: 1 }) });

// @ts-expect-error `list` receives `cursor`
provider('hiding', { start: () => ({ cursor: 1 }) });

const identified = { ...type, outputs: z.object({ id: z.string(), size: z.int() }) };
const schema = z.object({ id: z.string() });
const made = () => ({ id: '', size: 1 });

cloud.resource('identified', {
  ...identified,
  identity: {
    schema,
    of: (outputs) => ({ id: outputs.id }),
    forNew: ({ owner }) => ({ id: owner }),
  },
  create({ identity, owner }) {
    is<{ id: string }>()(identity);
    is<string>()(owner);
    return made();
  },
  update({ identity }) {
    is<{ id: string }>()(identity);
    return made();
  },
  delete({ identity }) {
    is<{ id: string }>()(identity);
  },
  observe({ identity, adopt: adopted }) {
    is<{ id: string }>()(identity);
    is<{ id: string } | null>()(adopted);
    return gone();
  },
  list: () => ({ items: [{ adopt: { id: '1' } }] }),
});

cloud.resource('named-by-the-cloud', {
  ...identified,
  identity: { schema, of: (outputs) => ({ id: outputs.id }) },
  create({ identity }) {
    is<null>()(identity);
    return made();
  },
  update({ identity }) {
    is<{ id: string }>()(identity);
    return made();
  },
  delete({ identity }) {
    is<{ id: string } | null>()(identity);
  },
});

cloud.resource('another-member', {
  ...identified,
  // @ts-expect-error the schema has no member size
  identity: { schema, of: (outputs) => ({ size: outputs.size }) },
  create: made,
  update: made,
});
