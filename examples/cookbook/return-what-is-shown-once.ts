import { provider, z } from 'fairlead/provider';
import { cloud } from './cloud.ts';

const store = provider('store');

const key = store.resource('key', {
  description: 'A key of the store',
  config: z.strictObject({ note: z.string().default('') }),
  outputs: z.object({ id: z.string(), secret: z.string().meta({ sensitive: true }) }),
  identity: { schema: z.strictObject({ id: z.string() }), of: ({ id }) => ({ id }) },
  onceOnly: ['id', 'secret'],
  async create(call) {
    // A key of an earlier call, whose answer was lost: nobody can read its secret any more.
    await cloud.keys.removeAll(call);
    return await cloud.keys.make(call, call.config);
  },
  async update(call) {
    // It writes `sequence`, too: a create that arrives late would replace a key that is in use.
    await cloud.put(call, call.config);
    return call.outputs;
  },
  async delete(call) {
    await cloud.keys.removeAll(call);
  },
});

export default store.types(key);
