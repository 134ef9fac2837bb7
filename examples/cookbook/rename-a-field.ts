import { from, provider, z } from 'fairlead/provider';
import { cloud } from './cloud.ts';

const ConfigV1 = z.strictObject({ size: z.int().min(1).default(1) });
const Config = z.strictObject({ sizeGb: z.int().min(1).default(1) });
const Outputs = z.object({ url: z.string() });

const disks = provider('disks');

const disk = disks.resource('disk', {
  description: 'A disk',
  version: 2,
  config: Config,
  outputs: Outputs,
  identity: { schema: z.strictObject({ url: z.string() }), of: ({ url }) => ({ url }) },
  migrations: [
    from(1, { config: ConfigV1, outputs: Outputs }).to(
      ({ size }) => ({ sizeGb: size }),
      (outputs) => outputs,
    ),
  ],
  async create(call) {
    return await cloud.put(call, { gb: call.config.sizeGb });
  },
  async update(call) {
    const { config, previousConfig, log } = call;
    log.info('Resizing', { from: previousConfig.sizeGb, to: config.sizeGb });
    return await cloud.put(call, { gb: config.sizeGb });
  },
  async delete(call) {
    await cloud.remove(call);
  },
});

export default disks.types(disk);
