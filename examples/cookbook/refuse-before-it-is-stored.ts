import { provider, refuse, replace, z } from 'fairlead/provider';
import { cloud } from './cloud.ts';

const tables = provider('tables', {
  settings: z.object({
    most: z.int().min(1).default(10).describe('Tables that the account may have'),
  }),
});

const table = tables.resource('table', {
  description: 'A table',
  config: z.strictObject({
    sizeGb: z.int().min(1).default(1),
    replicas: z.int().min(1).max(3).default(1),
    backups: z.enum(['none', 'replica']).default('none'),
    engine: z.enum(['row-1', 'row-2', 'column-1']).default('row-2'),
  }),
  outputs: z.object({ url: z.string() }),
  identity: { schema: z.strictObject({ url: z.string() }), of: ({ url }) => ({ url }) },
  plan({ config, previous, settings, beside }) {
    const { sizeGb, replicas, backups, engine } = config;
    if (backups === 'replica' && replicas === 1) {
      return refuse('/backups', 'Backups of a replica need another one; set replicas to 2 or 3');
    }
    if (previous === null) {
      const planned = 1 + beside.filter((each) => each.previous === null).length;
      const left = settings.most - cloud.count();
      if (planned <= left) return undefined;
      return refuse('', `The account has room for ${left} more; delete a table first`);
    }
    // A value that a reference will supply is undefined.
    if (sizeGb !== undefined && sizeGb < previous.sizeGb) {
      return refuse('/sizeGb', `A table cannot shrink; it has ${previous.sizeGb} GiB`);
    }
    // Within a family the engine is changed in place.
    const [family] = (engine ?? previous.engine).split('-');
    return previous.engine.startsWith(`${family}-`) ? undefined : replace('/engine');
  },
  async create(call) {
    return await cloud.put(call, call.config);
  },
  async update(call) {
    return await cloud.put(call, call.config);
  },
  async delete(call) {
    await cloud.remove(call);
  },
});

export default tables.types(table);
