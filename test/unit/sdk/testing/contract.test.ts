import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { fail, gone, later, provider, refuse, replace, z } from '../../../../src/sdk/index.ts';
import { type ContractCase, testKit } from '../../../../src/sdk/testing/index.ts';
import { Config, type Parts, parts, Shelf, shop } from './shelf.ts';

const given: ContractCase = {
  config: { size: 3, password: 'open sesame' },
  changed: { size: 4, password: 'open sesame' },
  unreachable: { url: 'nowhere:' },
  cancelMs: 200,
};

/** @param plant makes a mistake @returns the broken promises */
async function broken(
  plant: (own: Parts) => Partial<Parts>,
  differing: Partial<ContractCase> & { observed?: boolean } = {},
): Promise<readonly string[]> {
  const shelf = new Shelf();
  const own = parts();
  Object.assign(own, plant(own));
  await using kit = await testKit(shop(shelf, own));
  const { observed = false, ...rest } = differing;
  const observe: ContractCase['observe'] = ({ organization, name }) =>
    shelf.carts.get(`${organization}/default/${name}`);
  const thrown: unknown = await kit
    .contract('cart', { ...given, ...(observed ? { observe } : {}), ...rest })
    .catch((error: unknown) => error);
  if (thrown === undefined) return [];
  if (!(thrown instanceof AggregateError)) throw thrown;
  return thrown.errors.map(({ message }: Error) => message);
}

it('passes a correct provider, leaves nothing behind and closes what it opened', async () => {
  const shelf = new Shelf();
  {
    await using kit = await testKit(shop(shelf));
    await kit.contract('cart', given);
    await kit.contract('cart', { ...given, observe: ({ name }) => shelf.carts.get(name) });
  }
  expect([...shelf.carts]).toEqual([]);
  expect(shelf.connections).toBe(0);
});

interface Mistake {
  readonly plant: (own: Parts) => Partial<Parts>;
  readonly differing?: Parameters<typeof broken>[1];
  /** One of the findings. */
  readonly says: RegExp;
}

const mistakes: Readonly<Record<string, Mistake>> = {
  'a rule refuses what create accepts': {
    plant: () => ({ plan: () => refuse('/size', 'No') }),
    says: /^plan of `config`: expected that it is accepted, saw refuse\('\/size'\): No\. Let `plan` accept what/,
  },
  'a rule refuses what exists': {
    plant: () => ({ plan: ({ previous }) => (previous === null ? [] : refuse('', 'No')) }),
    says: /^plan of what exists: expected that it is accepted, saw refuse\(''\): No/,
  },
  'a rule replaces what update changes': {
    plant: () => ({
      plan: ({ config, previous }) =>
        previous === null || previous.size === config.size ? undefined : replace('/size'),
    }),
    says: /^plan of `changed`: expected that it is accepted, saw replace\('\/size'\)/,
  },
  'a rule throws': {
    plant: () => ({
      plan() {
        throw new Error('Boom');
      },
    }),
    says: /^plan of `config`: expected an answer, saw that Boom/,
  },
  'a rule says something else each time': {
    plant: () => {
      let size = 0;
      return {
        plan() {
          size += 1;
          return { size };
        },
      };
    },
    says: /^plan of `config`, again: expected the same answer \{.*size: 1 .*saw .*size: 2 /,
  },
  'a rule changes something': {
    plant: (own) => ({
      plan(call) {
        const found = call.shelf.get(own.key(call as never));
        if (found === undefined) return;
        call.shelf.set(own.key(call as never), { ...found, size: found.size + 1 });
      },
    }),
    differing: { observed: true },
    says: /^plan: expected that nothing changes, saw/,
  },
  'a late delivery is applied': {
    plant: (own) => ({
      put(call) {
        const id = call.shelf.get(own.key(call))?.id ?? randomUUID();
        const { size } = call.config;
        call.shelf.set(own.key(call), { id, size, sequence: 0 });
        return { id, size };
      },
    }),
    says: /^create that arrives after an update: expected a failure, or the newest outputs, saw success with \{.*size: 3 \}\. Store `sequence` beside what you make/,
  },
  'a late delete is applied': {
    plant: (own) => ({
      delete(call) {
        call.shelf.delete(own.key(call));
      },
    }),
    says: /^update after a late delete: expected the same outputs .*Store `sequence`/,
  },
  'a second create makes a duplicate': {
    plant: (own) => ({
      create(call) {
        const id = randomUUID();
        call.shelf.set(own.key(call), { id, size: call.config.size, sequence: call.sequence });
        return { id, size: call.config.size };
      },
    }),
    says: /^create, again with the same key: expected the same outputs .* Fairlead repeats an event whose answer was lost: find what the first call made/,
  },
  'delete of a missing thing fails': {
    plant: (own) => ({
      delete(call) {
        if (call.shelf.get(own.key(call)) === undefined) throw new Error('No such cart');
        call.shelf.delete(own.key(call));
      },
    }),
    says: /^delete of a resource that was never created: expected success, saw a retryable failure, handler_error: No such cart\. Succeed when nothing is there/,
  },
  'another project gets what an orphaned resource left': {
    plant: () => ({ key: ({ organization, name }) => `${organization}/${name}` }),
    says: /^create in another project with the same name: expected another outputs\.id, saw that of the first, .* store `owner` of the call in a tag/,
  },
  'a name that is taken in another project is tried again': {
    plant: (own) => ({
      create(call) {
        if (call.project !== 'default') throw new Error('taken');
        return own.put(call);
      },
    }),
    says: /^create of a name that is taken, in another project: expected success, or fail\('already_exists'\), saw a retryable failure/,
  },
  'a second organization sees what the first has': {
    plant: () => ({ key: ({ name }) => name }),
    says: /^create in another organization with the same name: expected another outputs\.id, saw that of the first, .* Identify what you make by `organization`/,
  },
  'two creates at once disturb each other': {
    plant: (own) => {
      const running = new Set<string>();
      return {
        async create(call) {
          running.add(call.name);
          await pause(5);
          if (running.size > 1) throw new Error('Only one at a time');
          running.delete(call.name);
          return await own.put(call);
        },
      };
    },
    says: /^create of two resources at the same time: expected success, saw a retryable failure, .*Name what you make after the resource/,
  },
  'a schema has a keyword that builds refuse': {
    plant: () => ({
      config: Config.extend({ size: z.int().min(1).meta({ nullable: true }) }) as typeof Config,
    }),
    says: /^schema of config at properties\.size\.nullable: expected what builds accept, saw that Keyword 'nullable' is not supported: .*\. Change the schema/,
  },
  'a mark cannot work': {
    plant: () => ({
      config: Config.extend({
        size: z.int().min(1).meta({ immutable: true }).nullable(),
      }) as never,
    }),
    says: /^schema: expected JSON Schemas, saw that its config cannot be used at properties\.size\.anyOf\.0\.immutable: Branches of anyOf cannot be immutable: mark size itself; in zod/,
  },
  'a pattern has lookahead': {
    plant: () => ({
      config: Config.extend({ password: z.string().regex(/^(?=.*e)/) }) as never,
    }),
    says: /^schema of config at properties\.password\.pattern: .*\(\?= is lookaround/,
  },
  'an update replaces instead of changing': {
    plant: (own) => ({
      async update(call) {
        const found = call.shelf.get(own.key(call));
        if (found?.size === call.config.size) return await own.put(call);
        if (found !== undefined && found.sequence > call.sequence) fail('late', 'Late');
        call.shelf.delete(own.key(call));
        return await own.put(call);
      },
    }),
    says: /^update to `changed`, and back: expected the same outputs .* Change what exists instead of replacing it/,
  },
  'create fails when it is repeated after a lost answer': {
    plant: (own) => ({
      async create(call) {
        if (call.shelf.get(own.key(call)) !== undefined) throw new Error('It exists');
        return await own.put(call);
      },
    }),
    says: /^create, again in a new process: expected success, saw a retryable failure, handler_error: It exists\. Fairlead repeats an event/,
  },
  'create remembers what it made in its process only': {
    plant: () => {
      const made = new WeakMap<object, object>();
      return {
        create({ shelf, config }) {
          const known = made.get(shelf) ?? { id: randomUUID(), size: config.size };
          made.set(shelf, known);
          return known;
        },
      };
    },
    says: /^create, again in a new process: expected the same outputs/,
  },
  'a handler ignores that its signal is aborted': {
    plant: (own) => ({
      async update(call) {
        if (call.signal.aborted) await pause(1_000, undefined, { ref: false });
        return await own.put(call);
      },
    }),
    says: /^update with an already aborted signal: expected an outcome that Fairlead retries, saw no answer within 0\.2 s\. Pass `signal` to what the handler waits for/,
  },
  'an output has a secret of the config and is not marked': {
    plant: (own) => ({
      async put(call) {
        const cart = await parts().put(call);
        return { ...cart, url: `shelf://me:${encodeURIComponent(call.config.password)}@${own}` };
      },
    }),
    says: /^secret in outputs\.url: expected none, saw a sensitive value that the handler got\. Mark the output with/,
  },
  'an unreachable service fails terminally': {
    plant: (own) => ({
      async put(call) {
        try {
          return await parts().put(call);
        } catch (thrown) {
          if (String(thrown).includes('ECONNREFUSED')) fail('unreachable', 'No connection');
          throw thrown;
        }
      },
      key: own.key,
    }),
    says: /^create while the service is unreachable: expected a failure that Fairlead retries, saw a terminal failure, unreachable: No connection\. Throw an error soon/,
  },
};

describe('finds that', () => {
  it.each(Object.entries(mistakes))('%s', async (_name, { plant, differing, says }) => {
    const found = await broken(plant, differing);
    expect(found).toContainEqual(expect.stringMatching(says));
    expect(found.join('\n')).not.toContain('open sesame');
  });
});

describe('with observe, finds what outputs do not show', () => {
  it('a late update that is answered with what is there', async () => {
    const plant = (own: Parts): Partial<Parts> => ({
      put(call) {
        const found = call.shelf.get(own.key(call));
        const { size } = call.config;
        const cart = { id: found?.id ?? randomUUID(), size, sequence: call.sequence };
        call.shelf.set(own.key(call), cart);
        return { id: cart.id, size: 0 };
      },
    });
    expect(await broken(plant, { observed: true })).toContainEqual(
      expect.stringMatching(
        /^create that arrives after an update: expected that nothing changes, saw \{.*size: 4.*\} become \{.*size: 3/,
      ),
    );
    // Without it, the answer does not tell, which is a finding as well.
    expect(await broken(plant)).toContainEqual(
      expect.stringMatching(
        /saw success with outputs that do not tell what it did\. .*pass `observe`/,
      ),
    );
  });
});

it('accepts a handler that waits for an unreachable service with later', async () => {
  const plant = (): Partial<Parts> => ({
    async put(call) {
      try {
        return await parts().put(call);
      } catch (thrown) {
        if (String(thrown).includes('ECONNREFUSED')) return later('10s');
        throw thrown;
      }
    },
  });
  expect(await broken(plant)).toEqual([]);
});

it('accepts a create that another one delays', async () => {
  const plant = (own: Parts): Partial<Parts> => {
    let running = 0;
    return {
      async create(call) {
        running += 1;
        await pause(5);
        const isAlone = running === 1;
        running -= 1;
        if (!isAlone) throw new Error('Locked');
        return await own.put(call);
      },
    };
  };
  expect(await broken(plant)).toEqual([]);
});

it('asks nothing about late deliveries of a type that makes nothing', async () => {
  const plant = (): Partial<Parts> => ({
    put: ({ config }) => ({ id: 'none', size: config.size }),
    delete: () => {},
  });
  expect(await broken(plant, { fenced: false, unreachable: undefined as never })).toEqual([]);
});

describe('a type with outputs that are shown once', () => {
  /** @param removes whether a create removes what an earlier one made */
  async function brokenKeys(removes: boolean, onceOnly?: readonly ('id' | 'secret')[]) {
    const keys = new Map<string, { owner: string; sequence: number }>();
    interface Owner {
      readonly organization: string;
      readonly project?: string;
      readonly name: string;
    }
    const ownerOf = ({ organization, project = 'default', name }: Owner) =>
      `${organization}/${project}/${name}`;
    const idsOf = (owner: string) => [...keys].filter(([, key]) => key.owner === owner);
    const remove = (owner: string) => {
      for (const [id] of idsOf(owner)) keys.delete(id);
    };
    const secrets: string[] = [];
    const newest = new Map<string, number>();
    const isLate = (owner: string, sequence: number) => sequence < (newest.get(owner) ?? 0);
    const store = provider('store');
    const key = store.resource('key', {
      description: 'A key',
      config: z.object({}),
      outputs: z.object({ id: z.string(), secret: z.string().meta({ sensitive: true }) }),
      ...(onceOnly && { onceOnly }),
      create(call) {
        const owner = ownerOf(call);
        if (isLate(owner, call.sequence)) fail('late', 'A late delivery');
        newest.set(owner, call.sequence);
        if (removes) remove(owner);
        const made = { id: randomUUID(), secret: randomUUID() };
        secrets.push(made.secret);
        keys.set(made.id, { owner, sequence: call.sequence });
        return made;
      },
      update: (call) => call.outputs,
      delete(call) {
        const owner = ownerOf(call);
        if (isLate(owner, call.sequence)) return;
        newest.set(owner, call.sequence);
        remove(owner);
      },
      observe(call) {
        call.signal.throwIfAborted();
        const { id } = call.outputs;
        if (id === undefined || !keys.has(id)) return gone();
        return { config: {}, outputs: { id } };
      },
    });
    await using kit = await testKit(store.types(key));
    const observe = (owner: Owner) => idsOf(ownerOf(owner)).map(([id]) => id);
    const thrown = await kit
      .contract('key', { config: {}, observe })
      .catch((error: AggregateError) => error);
    const messages = thrown === undefined ? [] : thrown.errors.map(({ message }: Error) => message);
    for (const secret of secrets) expect(messages.join('\n')).not.toContain(secret);
    return messages;
  }

  it('may make another object when an answer was lost', async () => {
    expect(await brokenKeys(true, ['id', 'secret'])).toEqual([]);
    expect(await brokenKeys(true)).toContainEqual(
      expect.stringMatching(
        /^create, again with the same key: .*secret: '\[masked\]'.*`onceOnly` of the type$/,
      ),
    );
  });

  it('must leave nothing of the first one', async () => {
    expect(await brokenKeys(false, ['id', 'secret'])).toContainEqual(
      expect.stringMatching(
        /^create, again in a new process: expected as many objects as before, .*removes the one/,
      ),
    );
  });

  it('returns the other outputs as they were', async () => {
    expect(await brokenKeys(true, ['secret'])).toContainEqual(
      expect.stringMatching(/^create, again with the same key: expected the same outputs/),
    );
  });
});
