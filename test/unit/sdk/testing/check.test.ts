import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AnyObject } from '../../../../src/sdk/call.ts';
import { fail, later, provider, type ResourceOptions, z } from '../../../../src/sdk/index.ts';
import { type CheckOptions, checkType, testProvider } from '../../../../src/sdk/testing/index.ts';

const Config = z.strictObject({ size: z.int().min(1), color: z.string().default('red') });
const Outputs = z.object({ url: z.string(), size: z.int() });
type Cart = ResourceOptions<typeof Config, typeof Outputs, AnyObject, unknown, 1, readonly []>;
type Shelf = Map<string, { url: string; size: number }>;

/** Handlers as they should be, on a shelf of this test's own. */
function goodCart(shelf: Shelf = new Map()): Cart {
  const ensure = ({ name, config }: { name: string; config: { size: number } }) => {
    const made = { url: `cart://${name}`, size: config.size };
    shelf.set(name, made);
    return made;
  };
  return {
    description: 'A cart',
    config: Config,
    outputs: Outputs,
    create: ensure,
    update: ensure,
    delete: ({ name }) => void shelf.delete(name),
  };
}

const given = { config: { size: 3 }, changed: { size: 4, color: 'blue' } };
const soon: CheckOptions = { timeoutMs: 300, cancelMs: 200, maximumDelayMs: 5 };

function shop(changes: Partial<Cart> = {}, shelf?: Shelf) {
  const made = provider('shop');
  return made.types(made.resource('cart', { ...goodCart(shelf), ...changes }));
}

async function broken(changes: Partial<Cart>, options: CheckOptions = soon): Promise<string[]> {
  const thrown: unknown = await checkType(shop(changes), 'cart', given, options).catch(
    (error: unknown) => error,
  );
  if (thrown === undefined) return [];
  if (!(thrown instanceof AggregateError)) throw thrown;
  return thrown.errors.map((each: Error) => each.message);
}

describe('settings', () => {
  const settings = z.object({ url: z.url(), port: z.int().default(80) });
  const seen: unknown[] = [];
  const declared = provider('shop', { settings });
  const watched = declared.resource('cart', {
    ...goodCart(),
    create(call) {
      seen.push(call.settings);
      return { url: `cart://${call.name}`, size: call.config.size };
    },
  });
  const withSettings = declared.types(watched);

  it('are passed to handlers, with their defaults', async () => {
    const options = { ...soon, settings: { url: 'https://a.example' } };
    await testProvider(withSettings, { cart: given }, options);
    expect(seen[0]).toEqual({ url: 'https://a.example', port: 80 });
  });

  it('that are missing are a finding', async () => {
    await expect(testProvider(withSettings, { cart: given }, soon)).rejects.toThrow(
      'cart: settings: expected values that fit the schema, saw that the settings are invalid: url is not set',
    );
  });
});

describe('a correct provider', () => {
  it('passes, and leaves nothing behind', async () => {
    const shelf: Shelf = new Map([['other', { url: 'x', size: 1 }]]);
    await testProvider(shop({}, shelf), { cart: given });
    expect([...shelf.keys()]).toEqual(['other']);
  });

  it('may return later, and is called again with its context', async () => {
    const contexts: unknown[] = [];
    const found = await broken({
      create({ name, context }) {
        contexts.push(context);
        if (context === null) return later('5m', { context: { step: 1 } });
        return { url: `cart://${name}`, size: 3 };
      },
    });
    expect(found).toEqual([]);
    expect(contexts).toEqual([null, { step: 1 }, null, { step: 1 }]);
  });

  it('may fail a cancelled update', async () => {
    const good = goodCart();
    const found = await broken({
      async update(call) {
        await pause(20, undefined, { signal: call.signal });
        return await good.update(call);
      },
    });
    expect(found).toEqual([]);
  });

  it('may return later when it is cancelled', async () => {
    const update: Cart['update'] = ({ outputs, signal, config }) =>
      signal.aborted ? later(60) : { ...outputs, size: config.size };
    expect(await broken({ update })).toEqual([]);
  });

  it('gets events in the format of Fairlead', async () => {
    const seen: unknown[] = [];
    const good = goodCart();
    await checkType(
      shop({
        create(call) {
          const { organization, project, resource: type, name, attempt, config } = call;
          seen.push({ organization, project, type, name, attempt, config });
          return good.create(call);
        },
      }),
      'cart',
      given,
      { name: 'mine', organization: 'acme' },
    );
    const event = { organization: 'acme', project: 'default', type: 'cart', name: 'mine' };
    const config = { size: 3, color: 'red' };
    expect(seen).toEqual([
      { ...event, attempt: 1, config },
      { ...event, attempt: 2, config },
    ]);
  });

  it('may have types that cannot be changed', async () => {
    const update: Cart['update'] = (call) =>
      call.config.size === call.previousConfig.size
        ? call.outputs
        : fail('immutable', 'The size cannot change');
    await checkType(shop({ update }), 'cart', { config: given.config });
    expect(await broken({ update })).toEqual([
      'update to `changed`: expected success, saw a terminal failure, immutable: The size cannot change',
      'update to `changed`, again with the same key: expected success, saw a terminal failure, immutable: The size cannot change',
    ]);
  });
});

describe('a faulty provider that', () => {
  let count = 0;
  const cases: Record<string, { changes: Partial<Cart>; says: RegExp; times?: number }> = {
    'creates a second object for a repeated create': {
      changes: {
        create() {
          count += 1;
          return { url: `cart://${count}`, size: 3 };
        },
      },
      // The updates of the good handlers have no effect on that one.
      times: 3,
      says: /^create, again with the same key: expected the same outputs \{ url: 'cart:\/\/\d+', size: 3 \}, saw \{ url: 'cart:\/\/\d+', size: 3 \}$/,
    },
    'fails a repeated create because of its own object': {
      changes: {
        create({ name, attempt }) {
          if (attempt > 1) throw new Error('It exists');
          return { url: `cart://${name}`, size: 3 };
        },
      },
      says: /^create, again with the same key: expected success, saw a retryable failure, handler_error: It exists$/,
    },
    'returns outputs that violate its schema': {
      changes: { create: () => ({ url: 'x' }) as never },
      times: 2,
      says: /^create: expected success, saw a terminal failure, invalid_outputs: size: /,
    },
    'never ends': {
      changes: { create: () => new Promise<never>(() => undefined) },
      times: 2,
      says: /^create: expected success, saw no answer within 0\.3 s$/,
    },
    'returns later without an end': {
      changes: { create: () => later(1) },
      times: 2,
      says: /^create: expected success, saw no answer within 0\.3 s$/,
    },
    'returns other outputs without a change': {
      changes: {
        update: ({ name, config }) => {
          count += 1;
          return { url: `cart://${name}/${count}`, size: config.size };
        },
      },
      times: 3,
      says: /^update without a change: expected the same outputs/,
    },
    'fails terminally when it is cancelled': {
      changes: {
        async update({ signal, outputs }) {
          await pause(20);
          return signal.aborted ? fail('cut_off', 'It was cut off') : outputs;
        },
      },
      times: 2,
      says: /^update with an already aborted signal: expected an outcome that Fairlead retries, saw a terminal failure, cut_off/,
    },
    'hangs when it is cancelled': {
      changes: {
        async update({ signal, ...call }) {
          await pause(20);
          return signal.aborted
            ? await new Promise<never>(() => undefined)
            : goodCart().update({ signal, ...call });
        },
      },
      times: 2,
      says: /^update with an already aborted signal: expected an outcome that Fairlead retries, saw no answer within 0\.2 s$/,
    },
    'cannot delete a missing object': {
      changes: {
        delete({ attempt }) {
          if (attempt > 1) throw new Error('No such cart');
        },
      },
      says: /^delete, again with the same key: expected success, saw a retryable failure, handler_error: No such cart$/,
    },
    'needs outputs to delete': {
      changes: { delete: ({ outputs }) => void (outputs.url as string).length },
      says: /^delete of a resource that was never created: expected success, saw .*Cannot read properties of undefined/,
    },
    'marks items of a list': {
      changes: {
        config: Config.extend({ tags: z.array(z.string().meta({ immutable: true })).optional() }),
      },
      says: /^schema: expected JSON Schemas, saw that its config cannot be used at properties\.tags\.items\.immutable: Items of a list cannot be immutable: mark tags itself$/,
    },
    'has a config without a JSON Schema': {
      changes: { config: Config.extend({ at: z.date().optional() }) as never },
      says: /^schema: expected JSON Schemas, saw that its config cannot .*: Date cannot be represented/,
    },
  };
  it.each(Object.entries(cases))('%s', async (_name, { changes, says, times = 1 }) => {
    const found = await broken(changes);
    expect(found).toContainEqual(expect.stringMatching(says));
    expect(found, found.join('\n')).toHaveLength(times);
  });

  it('still has its object deleted', async () => {
    const deleted: string[] = [];
    const odd = shop({
      create: () => fail('no', 'No'),
      delete: ({ name }) => void deleted.push(name),
    });
    await expect(checkType(odd, 'cart', given, { name: 'mine' })).rejects.toThrow(/breaks 2 prom/);
    expect(deleted).toContain('mine');
  });

  it('gets a message with all findings, with the thrown errors as causes', async () => {
    const thrown = new Error('No such cart');
    const odd = shop({
      delete() {
        throw thrown;
      },
    });
    const error: unknown = await testProvider(odd, { cart: given, wheel: given }).catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(AggregateError);
    const { message, errors } = error as AggregateError;
    expect(message).toBe(
      `Provider shop breaks 4 promises:
  - cases: expected types of the provider, saw "wheel", which it does not have
  - cart: delete: expected success, saw a retryable failure, handler_error: No such cart
  - cart: delete, again with the same key: expected success, saw a retryable failure, handler_error: No such cart
  - cart: delete of a resource that was never created: expected success, saw a retryable failure, handler_error: No such cart`,
    );
    expect(errors[1].cause).toBe(thrown);
  });
});

describe('an invalid check', () => {
  it('names a type without a case', async () => {
    await expect(testProvider(shop(), {})).rejects.toThrow(
      'expected one for type "cart", saw none',
    );
  });

  it('lists the existing types', async () => {
    const check = checkType(shop(), 'wagon', given);
    await expect(check).rejects.toThrow('type: expected one of cart, saw "wagon"');
  });

  it('calls no handler with a config that Fairlead would reject', async () => {
    const odd = shop({ create: () => expect.unreachable() });
    const check = checkType(odd, 'cart', { config: { size: 0 }, changed: { colour: 'red' } });
    await expect(check).rejects.toThrow(
      /config: expected a value that matches.*\n.*changed: expected a value/,
    );
  });
});
