import { type Call, fail, gone, ownedBy, provider, z } from 'fairlead/provider';
import { cloud } from './cloud.ts';

const gib = 2 ** 30;
const volumes = provider('volumes');

const Config = z.strictObject({
  sizeGb: z.int().min(1),
  label: z.string().default(''),
  passphrase: z.string().meta({ sensitive: true }),
});

const volume = volumes.resource('volume', {
  description: 'A volume',
  config: Config,
  outputs: z.object({ id: z.string() }),
  identity: {
    schema: z.strictObject({ id: z.string().describe('Id of the volume in the cloud') }),
    of: (outputs) => ({ id: outputs.id }),
    forNew: ({ organization, name }) => ({ id: `vol-${organization}-${name}` }),
  },
  observeEvery: '10m',
  async create(call) {
    const { id } = call.identity;
    const found = await cloud.volumes.read(id);
    if (found !== undefined && !ownedBy(found.owner, call)) {
      fail('already_exists', `${id} belongs to somebody else: import it, or choose another name`);
    }
    return await written(id, call);
  },
  async update(call) {
    return await written(call.identity.id, call);
  },
  async delete({ identity, sequence }) {
    await cloud.volumes.remove(identity.id, sequence);
  },
  async observe({ identity: { id }, signal }) {
    const found = await cloud.volumes.read(id, { signal });
    if (found === undefined) return gone();
    // In the units of the config. The cloud shows no passphrase, so it is left out.
    return { config: { sizeGb: found.bytes / gib, label: found.label }, outputs: { id } };
  },
  async list({ cursor, signal }) {
    const { ids, next } = await cloud.volumes.list(cursor, { signal });
    return { items: ids.map((id) => ({ adopt: { id } })), cursor: next };
  },
});

async function written(id: string, call: Call<z.output<typeof Config>>): Promise<{ id: string }> {
  const { sizeGb, label, passphrase } = call.config;
  const value = { bytes: sizeGb * gib, label, passphrase, owner: call.owner };
  await cloud.volumes.write(id, call.sequence, value);
  return { id };
}

export default volumes.types(volume);
