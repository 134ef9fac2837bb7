import { fail, provider, z } from 'fairlead/provider';
import { cloud, type Delivery } from './cloud.ts';

const queues = provider('queues');

const queue = queues.resource('queue', {
  description: 'A queue',
  config: z.strictObject({ maxLength: z.int().min(1).default(1_000) }),
  outputs: z.object({ url: z.string() }),
  identity: { schema: z.strictObject({ url: z.string() }), of: ({ url }) => ({ url }) },
  create: (call) => written(call, call.config),
  update: (call) => written(call, call.config),
  delete: (call) => cloud.remove(call),
});

/** The store compares `sequence` and writes in one step. */
async function written(call: Delivery, value: object) {
  const result = await cloud.putIfNewer(call, value);
  return result ?? fail('late_delivery', 'A newer delivery has changed this queue');
}

export default queues.types(queue);
