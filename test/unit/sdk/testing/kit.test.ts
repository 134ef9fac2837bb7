import { describe, expect, it } from 'vitest';
import {
  fail,
  from,
  later,
  type Provider,
  provider,
  refuse,
  replace,
  retry,
  z,
} from '../../../../src/sdk/index.ts';
import { testKit } from '../../../../src/sdk/testing/index.ts';
import { type PlanCartCall, parts, Shelf, shop } from './shelf.ts';

/** A provider with one type whose create is the given one. */
function jobs(create: (call: { attempt: number; key: string; context: unknown }) => unknown) {
  const declared = provider('jobs', {});
  const job = declared.resource('job', {
    description: 'A job',
    config: z.strictObject({}),
    outputs: z.object({ done: z.boolean() }),
    retry: { attempts: 3 },
    create: create as never,
    update: create as never,
    delete: () => {},
  });
  return declared.types(job);
}

describe('a resource of the kit', () => {
  it('is created, changed and deleted with the values that Fairlead would send', async () => {
    const seen: unknown[] = [];
    const own = parts();
    const { put } = own;
    own.put = async (call) => {
      const { organization, sequence, attempt } = call;
      const { previousConfig, outputs } = call as { previousConfig?: unknown; outputs?: unknown };
      seen.push({ organization, sequence, attempt, previousConfig, outputs });
      return { ...(await put(call)), id: 'a' };
    };
    await using kit = await testKit(shop(new Shelf(), own), { organization: 'acme' });
    const cart = kit.resource('cart', 'first');
    expect(cart.state).toBe('absent');
    expect(await cart.apply({ size: 3 })).toEqual({
      state: 'ready',
      outputs: { id: 'a', size: 3 },
    });
    await cart.apply({ size: 4 });
    // As with Fairlead, nothing is to be done.
    await cart.apply({ size: 4 });
    expect(kit.resource('cart', 'first').outputs).toEqual({ id: 'a', size: 4 });
    expect(await cart.delete()).toEqual({ state: 'deleted' });
    await cart.apply({ size: 5 });
    const first = { organization: 'acme', attempt: 1 };
    expect(seen).toEqual([
      { ...first, sequence: 1, previousConfig: undefined, outputs: undefined },
      {
        ...first,
        sequence: 2,
        previousConfig: { size: 3, password: '' },
        outputs: { id: 'a', size: 3 },
      },
      { ...first, sequence: 4, previousConfig: undefined, outputs: undefined },
    ]);
  });

  it('says why it failed, and keeps the outputs of its last success', async () => {
    const own = parts();
    own.update = () => fail('too_large', 'No cart is that large');
    await using kit = await testKit(shop(new Shelf(), own));
    const cart = kit.resource('cart', 'first');
    await cart.apply({ size: 3 });
    expect(await cart.apply({ size: 4 })).toEqual({
      state: 'failed',
      code: 'too_large',
      message: 'No cart is that large',
    });
    expect(cart).toMatchObject({ state: 'failed', outputs: { size: 3 }, calls: 1 });
    expect(await cart.apply({ size: 0 })).toMatchObject({ code: 'invalid_config' });
    await expect(kit.resource('cart', 'second').delete()).rejects.toThrow('apply it first');
    expect(() => kit.resource('wagon', 'a')).toThrow('has no type "wagon"; its types are: cart');
  });

  it('is retried with the same key, as often as its type declares', async () => {
    const keys = new Set<string>();
    await using kit = await testKit(
      jobs(({ attempt, key }) => {
        keys.add(key);
        if (attempt < 3) throw new Error('Not yet');
        return { done: true };
      }),
    );
    expect(await kit.resource('job', 'a').apply({})).toMatchObject({ state: 'ready' });
    expect(keys.size).toBe(1);
    await using failing = await testKit(
      jobs(() => {
        throw new Error('Never');
      }),
    );
    const job = failing.resource('job', 'a');
    expect(await job.apply({})).toMatchObject({ state: 'failed', code: 'handler_error' });
    expect(job.log.map(({ level, fields }) => [level, String(fields['error'])])).toEqual(
      Array(3).fill(['error', 'Error: Never']),
    );
    expect(job.calls).toBe(3);
  });
});

describe('a type with rules of its author', () => {
  /** @returns the carts of a shop whose sizes only grow, and whose passwords only a new cart has */
  async function growing() {
    const own = parts();
    let handled = 0;
    const { put } = own;
    own.put = (call) => {
      handled += 1;
      return put(call);
    };
    own.plan = ({ config, previous }) => {
      if (config.size === 13) throw new Error('Boom');
      if (previous !== null) return ruleOfChange(config, previous);
      return config.size > 9 ? [refuse('/size', 'Too large')] : { size: 1 };
    };
    const kit = await testKit(shop(new Shelf(), own));
    return { kit, cart: kit.resource('cart', 'first'), handled: () => handled };
  }

  type CartConfig = PlanCartCall['config'];
  function ruleOfChange(config: CartConfig, previous: CartConfig) {
    if (config.size < previous.size) return refuse('/size', `It has ${previous.size}`);
    return config.password === previous.password ? undefined : replace('/password');
  }

  it('is refused before a handler is called, and stays as it is', async () => {
    const { kit, cart, handled } = await growing();
    await using _ = kit;
    const refused = (path: string, message: string) => ({
      ...{ state: 'refused', refusals: [{ path, message }], replaces: [] },
    });
    expect(await cart.apply({ size: 10 })).toEqual(refused('/size', 'Too large'));
    expect([cart.state, handled()]).toEqual(['absent', 0]);
    await cart.apply({ size: 5 });
    expect(await cart.apply({ size: 4 })).toEqual(refused('/size', 'It has 5'));
    expect([cart.state, cart.outputs['size'], handled()]).toEqual(['ready', 5, 1]);
    expect(await cart.apply({ size: 5 }), 'nothing changes').toMatchObject({ state: 'ready' });
  });

  it('is replaced where that is permitted', async () => {
    const { kit, cart } = await growing();
    await using _ = kit;
    await cart.apply({ size: 5 });
    const { id } = cart.outputs;
    const config = { size: 5, password: 'open sesame' };
    expect(await cart.apply(config)).toEqual({
      ...{ state: 'refused', refusals: [], replaces: ['/password'] },
    });
    expect(await cart.apply(config, { replace: true })).toMatchObject({ state: 'ready' });
    expect(cart.outputs['id']).not.toBe(id);
  });

  it('shows the mistake of a rule, which Fairlead only warns of', async () => {
    const { kit, cart } = await growing();
    await using _ = kit;
    await expect(cart.apply({ size: 13 })).rejects.toThrow('plan of type cart failed: Boom');
  });
});

describe('a list of objects', () => {
  async function rooms(next: (at: number) => string | undefined) {
    const store = new Set(['by-hand']);
    const declared = provider('hotel', {});
    const room = declared.resource('room', {
      description: 'A room',
      config: z.strictObject({}),
      outputs: z.object({ id: z.string() }),
      identity: { schema: z.strictObject({ id: z.string() }), of: ({ id }) => ({ id }) },
      create({ name }) {
        store.add(`made-${name}`);
        return { id: `made-${name}` };
      },
      update: ({ outputs }) => ({ id: outputs.id }),
      delete: ({ name }) => void store.delete(`made-${name}`),
      observe: () => ({ config: {}, outputs: { id: 'by-hand' } }),
      list({ cursor }) {
        const at = Number(cursor ?? 0);
        const items = [...store].slice(at, at + 1).map((id) => ({ adopt: { id } }));
        const more = next(at);
        return more === undefined ? { items } : { items, cursor: more };
      },
    });
    return await testKit(declared.types(room));
  }

  it('has those of all pages, and the resources that have them', async () => {
    await using kit = await rooms((at) => (at < 2 ? `${at + 1}` : undefined));
    await kit.resource('room', 'a').apply({});
    const object = (id: string, managedBy: string | null) => ({ adopt: { id }, managedBy });
    expect(await kit.list('room')).toEqual([object('by-hand', null), object('made-a', 'a')]);
    await kit.resource('room', 'old').adopt({ id: 'by-hand' }, {});
    await kit.resource('room', 'a').delete();
    expect(await kit.list('room')).toEqual([object('by-hand', 'old')]);
  });

  it('does not follow a cursor for ever', async () => {
    await using kit = await rooms(() => '1');
    await expect(kit.list('room')).rejects.toThrow('list returned the cursor "1" twice');
  });

  it('needs the handler', async () => {
    await using kit = await testKit(shop(new Shelf()));
    await expect(kit.list('cart')).rejects.toThrow('Type cart has no handler `list`');
  });
});

describe('an immutable field', () => {
  async function disks() {
    const handled: string[] = [];
    const declared = provider('storage', {});
    const put = (zone: string, by: string) => {
      handled.push(by);
      return { zone };
    };
    const disk = declared.resource('disk', {
      description: 'A disk',
      config: z.strictObject({
        zone: z.string().default('eu').meta({ immutable: true }),
        size: z.int(),
      }),
      outputs: z.object({ zone: z.string() }),
      create: ({ config }) => put(config.zone, 'create'),
      update: ({ config }) => put(config.zone, 'update'),
      delete: () => void handled.push('delete'),
    });
    const kit = await testKit(declared.types(disk));
    return { kit, disk: kit.resource('disk', 'first'), handled };
  }

  it('is refused when it changes, before a handler is called', async () => {
    const { kit, disk, handled } = await disks();
    await using _ = kit;
    await disk.apply({ size: 1 });
    expect(await disk.apply({ size: 1, zone: 'us' })).toEqual({
      ...{ state: 'refused', refusals: [], replaces: ['/zone'] },
    });
    expect([disk.state, disk.outputs['zone'], handled]).toEqual(['ready', 'eu', ['create']]);
    const written = await disk.apply({ size: 2, zone: 'eu' });
    expect(written, 'a default that is written down is the same').toMatchObject({ state: 'ready' });
  });

  it('is replaced where that is permitted', async () => {
    const { kit, disk, handled } = await disks();
    await using _ = kit;
    await disk.apply({ size: 1 });
    const replaced = await disk.apply({ size: 1, zone: 'us' }, { replace: true });
    expect(replaced).toEqual({ state: 'ready', outputs: { zone: 'us' } });
    expect(handled).toEqual(['create', 'delete', 'create']);
  });
});

describe('the virtual clock', () => {
  it('takes no time for later, and passes its context', async () => {
    const hourly = jobs(({ context }) =>
      context === null
        ? later('1h', { message: 'Halfway', progress: { done: 1, total: 2 }, context: { step: 1 } })
        : { done: true },
    );
    const startedAt = performance.now();
    await using kit = await testKit(hourly, { clock: 'virtual' });
    const job = kit.resource('job', 'a');
    expect(await job.apply({})).toEqual({ state: 'ready', outputs: { done: true } });
    expect(job.progress).toEqual({ done: 1, total: 2, message: 'Halfway' });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('takes no time for retry, which spends no attempt', async () => {
    let calls = 0;
    const limited = jobs(({ attempt }) => {
      calls += 1;
      if (calls < 4) retry({ after: '10m', code: 'rate_limited', message: 'Too many requests' });
      return { done: attempt === 1 };
    });
    await using kit = await testKit(limited);
    expect(await kit.resource('job', 'a').apply({})).toEqual({
      state: 'ready',
      outputs: { done: true },
    });
  });

  it('passes no context that Fairlead would not store', async () => {
    await using kit = await testKit(
      jobs(() => later('1s', { context: { all: 'x'.repeat(16_385) } })),
    );
    expect(await kit.resource('job', 'a').apply({})).toMatchObject({ code: 'CONTEXT_TOO_LARGE' });
  });

  it('ends an operation that takes longer than Fairlead waits', async () => {
    await using kit = await testKit(jobs(() => later('50m')));
    const job = kit.resource('job', 'a');
    expect(await job.apply({})).toMatchObject({ state: 'failed', code: 'OPERATION_TIMED_OUT' });
    expect(job.calls).toBe(3);
  });
});

describe('a fault', () => {
  it('lost answers and crashes leave one thing, made by the next process', async () => {
    const shelf = new Shelf();
    await using kit = await testKit(shop(shelf));
    const cart = kit.resource('cart', 'first');
    cart.crashAfter('create');
    const { outputs } = (await cart.apply({ size: 3 })) as { outputs?: unknown };
    expect(cart.calls).toBe(2);
    expect(shelf.connections).toBe(2);
    expect(outputs).toMatchObject({ id: [...shelf.carts.values()][0]?.id });
    cart.loseAnswer();
    expect(await cart.apply({ size: 4 })).toMatchObject({ state: 'ready' });
    expect(cart.calls).toBe(2);
    cart.crashAfter('delete');
    expect(await cart.delete()).toEqual({ state: 'deleted' });
    expect(shelf.carts.size).toBe(0);
    await kit.close();
    expect(shelf.connections).toBe(0);
  });

  it('late deliveries are refused by a fenced handler, and change nothing', async () => {
    const shelf = new Shelf();
    await using kit = await testKit(shop(shelf));
    const cart = kit.resource('cart', 'first');
    await cart.apply({ size: 3 });
    await expect(cart.late()).rejects.toThrow('needs two events that succeeded');
    await cart.apply({ size: 4 });
    expect(await cart.late()).toEqual({
      refused: true,
      changed: false,
      code: 'late',
      message: 'A late delivery',
    });
  });

  it('late deliveries that are applied are seen, by outputs or by observe', async () => {
    const shelf = new Shelf();
    const own = parts();
    own.put = (call) => {
      const { size } = call.config;
      call.shelf.set(own.key(call), { id: 'a', size, sequence: 0 });
      return { id: 'a', size };
    };
    await using kit = await testKit(shop(shelf, own));
    const observe = () => shelf.carts.get('testing/default/second');
    for (const [name, settings] of [
      ['first', {}],
      ['second', { observe }],
    ] as const) {
      const cart = kit.resource('cart', name, settings);
      await cart.apply({ size: 3 });
      await cart.apply({ size: 4 });
      expect(await cart.late()).toEqual({ refused: false, changed: true });
    }
  });
});

describe('a provider of the kit', () => {
  const failing = (members: object): Provider => ({ name: 'odd', types: new Map(), ...members });

  it('is checked, started once, and stopped', async () => {
    const calls: string[] = [];
    const declared = provider('odd', {
      check: () => void calls.push('check'),
      start: () => {
        calls.push('start');
        return {};
      },
      stop: () => void calls.push('stop'),
    });
    {
      await using kit = await testKit(declared.types());
      expect(calls).toEqual(['check', 'start']);
      await kit.close();
    }
    expect(calls).toEqual(['check', 'start', 'stop']);
  });

  it('that cannot start is none', async () => {
    const refuses = () => {
      throw new Error('wrong password');
    };
    await expect(testKit(failing({ check: refuses }))).rejects.toThrow('wrong password');
    await expect(testKit(failing({ start: refuses }))).rejects.toThrow('wrong password');
    await expect(testKit(shop(new Shelf()), { settings: { url: 1 } })).rejects.toThrow(
      'the settings are invalid: url must be a string',
    );
  });
});

describe('a type with versions', () => {
  const declared = provider('disks', {});
  const V1 = { config: z.strictObject({ size: z.int() }), outputs: z.object({ id: z.string() }) };
  const seen: unknown[] = [];
  const disk = declared.resource('disk', {
    description: 'A disk',
    version: 2,
    config: z.strictObject({ sizeGb: z.int().max(100), label: z.string().default('none') }),
    outputs: z.object({ id: z.string(), region: z.string() }),
    migrations: [
      from(1, V1).to(
        ({ size }) => ({ sizeGb: size }),
        (outputs) => ({ ...outputs, region: 'eu' }),
      ),
    ],
    create({ config }) {
      seen.push({ config });
      return { id: 'a', region: 'us' };
    },
    update({ config, previousConfig, outputs }) {
      seen.push({ config, previousConfig, outputs });
      return outputs;
    },
    delete: () => undefined,
  });
  const disks = declared.types(disk);

  it('gets what an earlier version stored in the newest shape', async () => {
    await using kit = await testKit(disks);
    const stored = { config: { size: 1 }, outputs: { id: 'b' } };
    const old = kit.resource('disk', 'old', { stored });
    expect(old).toMatchObject({ state: 'ready', outputs: { id: 'b' } });
    await old.apply({ sizeGb: 2 });
    const created = kit.resource('disk', 'new');
    expect(await created.apply({ size: 3 }, { typeVersion: 1 })).toMatchObject({ state: 'ready' });
    expect(await created.apply({ size: 3 } as never)).toMatchObject({ code: 'invalid_config' });
    expect(await created.apply({ size: 300 }, { typeVersion: 1 })).toMatchObject({
      code: 'migration_failed',
    });
    const config = { sizeGb: 2, label: 'none' };
    expect(seen).toEqual([
      {
        config,
        previousConfig: { sizeGb: 1, label: 'none' },
        outputs: { id: 'b', region: 'eu' },
      },
      { config: { sizeGb: 3, label: 'none' } },
    ]);
  });

  it('has its migrations checked on configs of earlier versions', async () => {
    await using kit = await testKit(disks);
    const given = { config: { sizeGb: 1 }, fenced: false };
    await kit.contract('disk', { ...given, earlier: { 1: [{ size: 1 }, { size: 2 }] } });
    await expect(kit.contract('disk', { ...given, earlier: { 1: { size: 300 } } })).rejects.toThrow(
      /create with a config of version 1: .*migration_failed: .*sizeGb.*Correct the migration from that version/,
    );
  });
});
