import { provider, retry, z } from 'fairlead/provider';
import { cloud, TooManyRequests } from './cloud.ts';

const names = provider('names', { concurrency: 8 });

const record = names.resource('record', {
  description: 'A record of the domain name system',
  concurrency: 4,
  config: z.strictObject({ value: z.string().min(1) }),
  outputs: z.object({ url: z.string() }),
  identity: { schema: z.strictObject({ url: z.string() }), of: ({ url }) => ({ url }) },
  create: (call) => paced(() => cloud.put(call, call.config)),
  update: (call) => paced(() => cloud.put(call, call.config)),
  delete: (call) => paced(() => cloud.remove(call)),
});

async function paced<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof TooManyRequests)) throw thrown;
    return retry({
      after: `${thrown.seconds}s`,
      code: 'rate_limited',
      message: 'The registry asks to wait',
      scope: 'provider',
    });
  }
}

export default names.types(record);
