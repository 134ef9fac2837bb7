import { createHash } from 'node:crypto';
import { provider, z } from 'fairlead/provider';
import { cloud, type Owner } from './cloud.ts';

const users = provider('users', {
  settings: z.object({ seed: z.string().min(16).meta({ sensitive: true }) }),
});

const user = users.resource('user', {
  description: 'A user of the database',
  config: z.strictObject({ readOnly: z.boolean().default(false) }),
  outputs: z.object({ user: z.string(), password: z.string().meta({ sensitive: true }) }),
  async create(call) {
    const password = passwordFor(call.settings.seed, call);
    await cloud.put(call, { ...call.config, password });
    return { user: call.name, password };
  },
  async update(call) {
    await cloud.put(call, { ...call.config, password: call.outputs.password });
    return call.outputs;
  },
  async delete(call) {
    await cloud.remove(call);
  },
});

/** Derived, not random: `create` may be called again after its answer was lost, and must return the same. */
function passwordFor(seed: string, { organization, project, name }: Owner): string {
  const owner = `${organization}/${project}/${name}`;
  return createHash('sha256').update(`${seed}/${owner}`).digest('base64url');
}

export default users.types(user);
