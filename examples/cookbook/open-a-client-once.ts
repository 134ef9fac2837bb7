import { provider, z } from 'fairlead/provider';
import { connect } from './cloud.ts';

const settings = z.object({
  url: z.url().describe('Address of the store'),
  token: z.string().min(8).describe('Token of an administrator').meta({ sensitive: true }),
});

const stores = provider('stores', {
  settings,
  async start({ settings: { url, token } }) {
    return { client: await connect(url, token) };
  },
  async check({ settings: { url, token } }) {
    const client = await connect(url, token);
    try {
      await client.ping(); // what it throws is the answer to `fairlead provider settings set`
    } finally {
      await client.close();
    }
  },
  async stop({ client }) {
    await client.close();
  },
});

const bucket = stores.resource('bucket', {
  description: 'A bucket of the store',
  config: z.strictObject({ region: z.enum(['eu', 'us']).default('eu') }),
  outputs: z.object({ url: z.string() }),
  identity: { schema: z.strictObject({ url: z.string() }), of: ({ url }) => ({ url }) },
  create: (call) => call.client.put(call, call.config),
  update: (call) => call.client.put(call, call.config),
  delete: (call) => call.client.remove(call),
});

export default stores.types(bucket);
