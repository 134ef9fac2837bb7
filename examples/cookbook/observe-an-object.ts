import { type Call, fail, gone, provider, z } from 'fairlead/provider';
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
  adopt: z.strictObject({ id: z.string().describe('Id of the volume in the cloud') }),
  observeEvery: '10m',
  async create(call) {
    const id = idOf(call);
    const found = await cloud.volumes.read(id);
    if (found !== undefined && found.owner !== ownerOf(call)) {
      fail('already_exists', `${id} belongs to somebody else: import it, or choose another name`);
    }
    return await written(id, call);
  },
  async update(call) {
    return await written(call.outputs.id, call);
  },
  async delete({ outputs, sequence, ...call }) {
    await cloud.volumes.remove(outputs.id ?? idOf(call), sequence);
  },
  async observe({ adopt, outputs, signal, ...call }) {
    const id = outputs.id ?? adopt?.id ?? idOf(call);
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

type Identity = Pick<Call<unknown>, 'organization' | 'project' | 'name'>;

function idOf({ organization, name }: Identity): string {
  return `vol-${organization}-${name}`;
}

function ownerOf({ organization, project, name }: Identity): string {
  return `${organization}/${project}/${name}`;
}

async function written(id: string, call: Call<z.output<typeof Config>>): Promise<{ id: string }> {
  const { sizeGb, label, passphrase } = call.config;
  const value = { bytes: sizeGb * gib, label, passphrase, owner: ownerOf(call) };
  await cloud.volumes.write(id, call.sequence, value);
  return { id };
}

export default volumes.types(volume);
