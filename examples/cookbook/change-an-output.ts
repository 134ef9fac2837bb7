import { from, provider, z } from 'fairlead/provider';
import { cloud } from './cloud.ts';

const Config = z.strictObject({ memoryMb: z.int().min(16).default(64) });
const OutputsV1 = z.object({ address: z.string() });
const Outputs = z.object({ host: z.string(), port: z.int() });

const caches = provider('caches');

const cache = caches.resource('cache', {
  description: 'A cache',
  version: 2,
  config: Config,
  outputs: Outputs,
  // Outputs of version 1 have no host: until the next success, Fairlead knows no identity of these resources.
  identity: { schema: z.strictObject({ host: z.string() }), of: ({ host }) => ({ host }) },
  migrations: [
    from(1, { config: Config, outputs: OutputsV1 }).to(
      (config) => config,
      ({ address }) => {
        const [host = '', port = ''] = address.split(':');
        return { host, port: Number(port) };
      },
    ),
  ],
  async create(call) {
    await cloud.put(call, call.config);
    return { host: `${call.name}.cache.example`, port: 6379 };
  },
  async update(call) {
    await cloud.put(call, call.config);
    return call.outputs; // of version 2, also when they were stored by version 1
  },
  async delete(call) {
    await cloud.remove(call);
  },
});

export default caches.types(cache);
