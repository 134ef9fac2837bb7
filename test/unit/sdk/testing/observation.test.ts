// Planted mistakes of `observe`, and imports in the test kit.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { provider as declare, fail, gone, later, z } from '../../../../src/sdk/index.ts';
import { type ContractCase, testKit, testProvider } from '../../../../src/sdk/testing/index.ts';
import { observeCart, type Parts, parts, Shelf, shop } from './shelf.ts';

const given: ContractCase = {
  config: { size: 3, password: 'open sesame' },
  changed: { size: 4, password: 'open sesame' },
  unreachable: { url: 'nowhere:' },
  cancelMs: 200,
};

type Plant = (own: Parts, shelf: Shelf) => Partial<Parts>;

function planted(plant: Plant) {
  const shelf = new Shelf();
  const own = parts();
  Object.assign(own, { observe: observeCart(own) }, plant(own, shelf));
  return { shelf, provider: shop(shelf, own) };
}

function messages(thrown: unknown): readonly string[] {
  if (thrown === undefined) return [];
  if (!(thrown instanceof AggregateError)) throw thrown;
  return thrown.errors.map(({ message }: Error) => message);
}

/** @returns the promises that `testProvider` finds broken, and those that the contract of the kit does */
async function broken(plant: Plant) {
  const { provider, shelf } = planted(plant);
  await using kit = await testKit(provider);
  const observe: ContractCase['observe'] = ({ organization, name }) =>
    shelf.carts.get(`${organization}/default/${name}`)?.size;
  const { config, changed = {} } = given;
  const caught = (work: Promise<void>) => work.catch((thrown: unknown) => thrown).then(messages);
  return {
    testProvider: await caught(
      testProvider(provider, { cart: { config, changed } }, { cancelMs: 200 }),
    ),
    contract: await caught(kit.contract('cart', { ...given, observe })),
  };
}

it('passes a correct observer', async () => {
  expect(await broken(() => ({}))).toEqual({ testProvider: [], contract: [] });
});

it('passes an observer that cannot read the config', async () => {
  const found = await broken((own) => ({
    observe(call) {
      call.signal.throwIfAborted();
      return call.shelf.get(own.key(call as never)) ? { config: {}, outputs: {} } : gone();
    },
  }));
  expect(found).toEqual({ testProvider: [], contract: [] });
});

interface Mistake {
  readonly plant: Plant;
  readonly by: readonly ('testProvider' | 'contract')[];
  readonly says: RegExp;
}

const both = ['testProvider', 'contract'] as const;

const mistakes: Readonly<Record<string, Mistake>> = {
  'units differ from those of the config': {
    plant: (own) => ({
      observe(call) {
        const seen = observeCart(own)(call) as { config?: { size: number } };
        return seen.config ? { ...seen, config: { size: seen.config.size * 1_024 } } : seen;
      },
    }),
    by: both,
    says: /^(?:cart: )?observe after create: expected config\.size to be 3 as declared, saw 3072\. Return it in the form of the config, such as its units and its order, or leave it out$/,
  },
  'the config of the event is copied': {
    plant: (own) => ({
      observe(call) {
        const seen = observeCart(own)(call) as { config?: { size: number } };
        return seen.config ? { ...seen, config: { size: call.config.size } } : seen;
      },
    }),
    by: both,
    says: /^(?:cart: )?observe after an update: expected config\.size as it is, saw that of the event\. Read it/,
  },
  'what changes by itself is returned': {
    plant: (own) => ({
      observe(call) {
        const seen = observeCart(own)(call) as { config?: object };
        return seen.config ? { ...seen, outputs: { revision: randomUUID() } } : seen;
      },
    }),
    by: both,
    says: /^(?:cart: )?observe after create, again: expected the same .* Leave out what changes by itself$/,
  },
  'a deleted object still exists': {
    plant: (own) => {
      const known = new Map<string, object>();
      return {
        observe(call) {
          const seen = observeCart(own)(call);
          if ('config' in (seen as object)) known.set(call.name, seen as object);
          return known.get(call.name) ?? seen;
        },
      };
    },
    by: both,
    says: /^(?:cart: )?observe after delete: expected gone\(\), saw \{.*exists: true.*Return gone\(\) when nothing exists$/,
  },
  'what never existed is observed': {
    plant: (own) => ({
      observe(call) {
        const seen = observeCart(own)(call);
        return 'config' in (seen as object) ? seen : { config: {}, outputs: {} };
      },
    }),
    by: both,
    says: /^(?:cart: )?observe of a resource that was never created: expected gone\(\)/,
  },
  'a missing object is an error': {
    plant: (own) => ({
      observe(call) {
        const seen = observeCart(own)(call);
        if (!('config' in (seen as object))) throw new Error('404');
        return seen;
      },
    }),
    by: both,
    says: /^(?:cart: )?observe after delete: expected success, saw a retryable failure, handler_error: 404$/,
  },
  'every error counts as gone': {
    plant: (own) => ({
      observe(call) {
        try {
          return observeCart(own)(call);
        } catch {
          return gone();
        }
      },
    }),
    by: both,
    says: /^(?:cart: )?observe with an already aborted signal: expected an error, or what exists, saw gone\(\)\. Throw what/,
  },
  'an unreachable service counts as gone': {
    plant: (own) => ({
      observe(call) {
        call.signal.throwIfAborted();
        try {
          return observeCart(own)(call);
        } catch {
          return gone();
        }
      },
    }),
    by: ['contract'],
    says: /^observe while the service is unreachable: expected a failure that Fairlead retries, saw gone\(\)\. Throw an error soon/,
  },
  'an unreachable service ends an import': {
    plant: (own) => ({
      observe(call) {
        call.signal.throwIfAborted();
        try {
          return observeCart(own)(call);
        } catch {
          return fail('unreachable', 'No connection');
        }
      },
    }),
    by: ['contract'],
    says: /^observe while the service is unreachable: .*saw a terminal failure, unreachable: No connection\./,
  },
  'later is returned': {
    plant: () => ({ observe: () => later('5s') }),
    by: both,
    says: /^(?:cart: )?observe after create: expected success, saw a retryable failure, handler_error: observe returned later/,
  },
  'it changes what it observes': {
    plant: (own) => ({
      observe(call) {
        const seen = observeCart(own)(call);
        const key = own.key(call as never);
        const cart = call.shelf.get(key);
        if (cart !== undefined) call.shelf.set(key, { ...cart, size: 1 });
        return seen;
      },
    }),
    by: ['contract'],
    says: /^observe: expected that nothing changes, saw 3 become 1$/,
  },
  'only the process that created it finds it': {
    plant: (own) => {
      const made = new WeakMap<object, Set<string>>();
      return {
        create(call) {
          made.set(call.shelf, (made.get(call.shelf) ?? new Set()).add(call.name));
          return own.put(call);
        },
        observe: (call) => (made.get(call.shelf)?.has(call.name) ? observeCart(own)(call) : gone()),
      };
    },
    by: ['contract'],
    says: /^observe in a new process: expected what exists, saw gone\(\)\. Find it by `organization` and `name`/,
  },
  'it finds what another organization has': {
    plant: (own, shelf) => ({
      observe(call) {
        const seen = observeCart(own)(call);
        if ('config' in (seen as object)) return seen;
        const other = [...shelf.carts].find(([key]) => key.endsWith(`/${call.name}`));
        return other === undefined ? seen : { config: {}, outputs: {} };
      },
    }),
    by: ['contract'],
    says: /^observe of the same name in another organization: expected gone\(\), saw that of the first, .* Identify what you make by `organization`/,
  },
  'a name that is taken is tried again and again': {
    plant: (own, shelf) => ({
      create(call) {
        const { name } = call;
        const isTaken = [...shelf.carts.keys()].some(
          (key) => key.endsWith(`/${name}`) && key !== own.key(call),
        );
        if (isTaken) throw new Error('The name is taken');
        return own.put(call);
      },
    }),
    by: ['contract'],
    says: /^create of a name that is taken, in another organization: expected success, or fail\('already_exists'\), saw a retryable failure, handler_error: The name is taken\. Store `owner` of the call/,
  },
};

describe('finds that', () => {
  it.each(Object.entries(mistakes))('%s', async (_name, { plant, by, says }) => {
    const found = await broken(plant);
    for (const check of by) expect(found[check]).toContainEqual(expect.stringMatching(says));
    expect(JSON.stringify(found)).not.toContain('open sesame');
  });
});

it('accepts a name that is taken when create fails for good', async () => {
  const found = await broken((own, shelf) => ({
    create(call) {
      const isTaken = [...shelf.carts.keys()].some(
        (key) => key.endsWith(`/${call.name}`) && key !== own.key(call),
      );
      return isTaken ? fail('already_exists', 'The name is taken') : own.put(call);
    },
  }));
  expect(found).toEqual({ testProvider: [], contract: [] });
});

describe('the test kit', () => {
  const cart = { id: 'c-1', size: 5, sequence: 0 };

  it('imports an object, observes it, and creates nothing', async () => {
    const { provider, shelf } = planted(() => ({ create: () => fail('called', 'create') }));
    shelf.carts.set('elsewhere/old', cart);
    await using kit = await testKit(provider);
    const old = kit.resource('cart', 'old');
    expect(await old.adopt({ id: 'c-1' }, { size: 3 })).toEqual({
      state: 'ready',
      outputs: { id: 'c-1', size: 5 },
    });
    expect(await old.observe()).toEqual({
      exists: true,
      config: { size: 5 },
      outputs: { id: 'c-1', size: 5 },
      changes: [{ path: '/size', declared: 3, actual: 5 }],
    });
    expect([...shelf.carts.values()]).toEqual([cart]);
    await expect(old.adopt({ id: 'c-1' }, { size: 3 })).rejects.toThrow(
      'adopt: old exists already',
    );
  });

  it('fails an import of what does not exist', async () => {
    const { provider } = planted(() => ({}));
    await using kit = await testKit(provider);
    const old = kit.resource('cart', 'old');
    expect(await old.adopt({ id: 'c-9' }, { size: 3 })).toMatchObject({ code: 'NOT_FOUND' });
    expect([old.state, await old.observe()]).toEqual(['failed', { exists: false }]);
  });

  it('observes what is there, and records nothing', async () => {
    const { provider, shelf } = planted(() => ({}));
    await using kit = await testKit(provider);
    const orders = kit.resource('cart', 'orders');
    await orders.apply({ size: 3, password: 'open sesame' });
    shelf.carts.set('testing/default/orders', { ...cart, id: String(orders.outputs['id']) });
    expect(await orders.observe()).toMatchObject({
      changes: [{ path: '/size', declared: 3, actual: 5 }],
    });
    expect(orders.outputs).toMatchObject({ size: 3 });
    shelf.carts.clear();
    expect([await orders.observe(), orders.state]).toEqual([{ exists: false }, 'ready']);
  });

  it.each([
    [true, [{ path: '/public', declared: false, actual: true }]],
    [false, []],
  ])('compares defaults as the type says: %s', async (compareDefaults, changes) => {
    const declared = declare('files');
    const folder = declared.resource('folder', {
      description: 'A folder that somebody made public',
      config: z.object({ path: z.string(), public: z.boolean().default(false) }),
      outputs: z.object({}),
      compareDefaults,
      create: () => ({}),
      update: () => ({}),
      delete: () => undefined,
      observe: ({ config }) => ({ config: { ...config, public: true }, outputs: {} }),
    });
    await using kit = await testKit(declared.types(folder));
    const first = kit.resource('folder', 'first');
    await first.apply({ path: '/a' });
    expect(await first.observe()).toMatchObject({ changes });
  });

  it('throws when nothing was observed', async () => {
    const { provider } = planted(() => ({
      observe: () => Promise.reject(new Error('ECONNREFUSED')),
    }));
    await using kit = await testKit(provider);
    const orders = kit.resource('cart', 'orders');
    await expect(orders.observe()).rejects.toThrow(
      'observe failed with handler_error: ECONNREFUSED',
    );
  });
});
