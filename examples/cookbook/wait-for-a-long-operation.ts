import { type CallOf, type Later, later, provider, z } from 'fairlead/provider';
import { cloud } from './cloud.ts';

const clusters = provider('clusters');

const cluster = clusters.resource('cluster', {
  description: 'A cluster of machines',
  config: z.strictObject({ nodes: z.int().min(1).max(100).default(3) }),
  outputs: z.object({ url: z.string() }),
  identity: { schema: z.strictObject({ url: z.string() }), of: ({ url }) => ({ url }) },
  operationLimitSeconds: 4 * 3_600,
  create: (call): Promise<Started> => settle(call),
  update: (call): Promise<Started> => settle(call),
  delete: (call) => cloud.remove(call),
  async cancel({ context }) {
    const { ended } = await cloud.cancel(String(context?.operation));
    return ended ? undefined : later('5s');
  },
});

type Started = { url: string } | Later;

/** The key makes the beginning repeatable: the cloud answers with the same operation. */
async function settle(call: CallOf<typeof cluster>): Promise<Started> {
  const operation = String(call.context?.operation ?? (await cloud.begin(call)));
  const { done, total, url } = await cloud.look(operation);
  if (url !== undefined) return { url };
  return later('10s', {
    message: 'Starting machines',
    progress: { done, total },
    context: { operation },
  });
}

export default clusters.types(cluster);
