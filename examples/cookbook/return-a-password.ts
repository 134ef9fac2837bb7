import { createHash } from 'node:crypto';
import { provider, z } from 'fairlead/provider';
import { cloud } from './cloud.ts';

const users = provider('users', {
  settings: z.object({ seed: z.string().min(16).meta({ sensitive: true }) }),
});

const user = users.resource('user', {
  description: 'A user of the database',
  config: z.strictObject({ readOnly: z.boolean().default(false) }),
  outputs: z.object({ user: z.string(), password: z.string().meta({ sensitive: true }) }),
  identity: {
    schema: z.strictObject({ user: z.string() }),
    of: ({ user }) => ({ user }),
    forNew: ({ project, name }) => ({ user: `${project}_${name}` }),
  },
  async create(call) {
    const password = passwordFor(call.settings.seed, call.owner);
    await cloud.put(call, { ...call.config, password });
    return { ...call.identity, password };
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
function passwordFor(seed: string, owner: string): string {
  return createHash('sha256').update(`${seed}/${owner}`).digest('base64url');
}

export default users.types(user);
