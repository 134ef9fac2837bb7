// What the compiler accepts and refuses of `plan`: `npm run verify` checks it, and nothing runs it.
import { provider, refuse, replace, z } from '../../../../src/sdk/index.ts';

declare function is<Expected>(): <Seen>(
  seen: Seen,
  ...same: [Expected] extends [Seen] ? ([Seen] extends [Expected] ? [] : [never]) : [never]
) => void;

const Config = z.strictObject({
  size: z.int(),
  zone: z.string().default('a'),
  net: z.object({ id: z.string() }).optional(),
  rules: z.array(z.object({ port: z.int() })).default([]),
});
const type = {
  description: 'A bucket',
  config: Config,
  outputs: z.object({ url: z.string(), made: z.boolean() }),
  create: () => ({ url: '', made: true }),
  update: () => ({ url: '', made: true }),
  delete: () => undefined,
};
declare const client: { quota(): Promise<number> };

const cloud = provider('cloud', {
  settings: z.object({ most: z.int() }),
  start: () => ({ client }),
});

cloud.resource('bucket', {
  ...type,
  plan({ config, previous, outputs, settings, beside }) {
    // A reference may supply any value.
    is<number | undefined>()(config.size);
    is<string | undefined>()(config.net?.id);
    is<{ port: number }[] | undefined>()(config.rules);
    is<number | undefined>()(previous?.size);
    is<string | undefined>()(outputs.url);
    is<number>()(settings.most);
    is<number | undefined>()(beside[0]?.config.size);
    // @ts-expect-error: the size may be unknown.
    const isLarge = config.size > 3;
    if (isLarge) return refuse('/size', 'Too large');
    if (previous !== null && config.zone !== previous.zone) return replace('/zone');
    return undefined;
  },
});

cloud.resource('counted', {
  ...type,
  async plan({ client: given, beside, previous }) {
    const left = await given.quota();
    return previous === null && left <= beside.length ? [refuse('', 'The account is full')] : [];
  },
});

cloud.resource('known', { ...type, plan: ({ name }) => ({ url: `https://${name}.example` }) });

cloud.resource('all', {
  ...type,
  plan: () => [refuse('/size', 'No'), replace('/zone'), { made: true }],
});

// @ts-expect-error: an output of another type.
cloud.resource('misfit', { ...type, plan: () => ({ url: 3 }) });
// @ts-expect-error: no result.
cloud.resource('text', { ...type, plan: () => 'no' });
// @ts-expect-error: no JSON Pointer.
refuse('size', 'No');
// @ts-expect-error: a member of every call.
provider('clash', { start: () => ({ previous: 1 }) });
