// A provider of carts as it should be, over a shelf in memory that stands for a backing service, and the parts that tests replace.
import { randomUUID } from 'node:crypto';
import {
  type CallOf,
  type DeclaredType,
  fail,
  gone,
  type Provider,
  provider,
  z,
} from '../../../../src/sdk/index.ts';

export interface Cart {
  readonly id: string;
  readonly size: number;
  readonly sequence: number;
}

/** What the backing service has; it outlives the processes of the provider. */
export class Shelf {
  readonly carts = new Map<string, Cart>();
  /** The connections that are open. */
  connections = 0;

  connect(url: string): Connection {
    const { carts } = this;
    this.connections += 1;
    const reached = () => {
      if (url !== 'shelf:') throw new Error(`connect ECONNREFUSED ${url}`);
    };
    return {
      get(key) {
        reached();
        return carts.get(key);
      },
      set(key, cart) {
        reached();
        carts.set(key, cart);
      },
      delete(key) {
        reached();
        carts.delete(key);
      },
      find(id) {
        reached();
        return [...carts.values()].find((each) => each.id === id);
      },
      close: () => {
        this.connections -= 1;
      },
    };
  }
}

interface Connection {
  get(key: string): Cart | undefined;
  set(key: string, cart: Cart): void;
  delete(key: string): void;
  find(id: string): Cart | undefined;
  close(): void;
}

export const Config = z.strictObject({
  size: z.int().min(1),
  password: z.string().default('').meta({ sensitive: true }),
});
export const Outputs = z.object({ id: z.string(), size: z.int() });
type CartCall = CallOf<DeclaredType<unknown>> & {
  readonly config: z.output<typeof Config>;
  readonly organization: string;
  readonly project: string;
  readonly name: string;
  readonly sequence: number;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly shelf: Connection;
};

/** The parts of the handlers. */
export interface Parts {
  config: typeof Config;
  key(call: CartCall): string;
  /** What create and update do. */
  put(call: CartCall): object | Promise<object>;
  create(call: CartCall): object | Promise<object>;
  update(call: CartCall): object | Promise<object>;
  delete(call: CartCall): void | Promise<void>;
  /** Undefined: the type has no such handler. */
  observe?: (call: ObserveCartCall) => unknown;
  /** Undefined: the type has no rules. */
  plan?: (call: PlanCartCall) => unknown;
}

export type PlanCartCall = Pick<
  CartCall,
  'config' | 'shelf' | 'organization' | 'project' | 'name'
> & {
  readonly previous: CartCall['config'] | null;
};

export type ObserveCartCall = Omit<CartCall, 'config'> & {
  readonly config: Partial<CartCall['config']>;
  readonly outputs: { readonly id?: string };
  readonly adopt: { readonly id: string } | null;
};

/** An observer as it should be. */
export function observeCart(own: Pick<Parts, 'key'>): NonNullable<Parts['observe']> {
  return (call) => {
    call.signal.throwIfAborted();
    const wanted = call.adopt?.id;
    const found =
      wanted === undefined ? call.shelf.get(own.key(call as CartCall)) : call.shelf.find(wanted);
    if (found === undefined) return gone();
    return { config: { size: found.size }, outputs: { id: found.id, size: found.size } };
  };
}

export function parts(): Parts {
  const own: Parts = {
    config: Config,
    key: ({ organization, project, name }) => `${organization}/${project}/${name}`,
    put(call) {
      const found = call.shelf.get(own.key(call));
      if (found !== undefined && found.sequence > call.sequence) fail('late', 'A late delivery');
      const cart = {
        id: found?.id ?? randomUUID(),
        size: call.config.size,
        sequence: call.sequence,
      };
      call.signal.throwIfAborted();
      call.shelf.set(own.key(call), cart);
      return { id: cart.id, size: cart.size };
    },
    create: (call) => own.put(call),
    update: (call) => own.put(call),
    delete(call) {
      const found = call.shelf.get(own.key(call));
      if (found === undefined) return;
      if (found.sequence > call.sequence) fail('late', 'A late delivery');
      call.shelf.delete(own.key(call));
    },
  };
  return own;
}

export function shop(shelf: Shelf, own: Parts = parts()): Provider {
  const declared = provider('shop', {
    settings: z.object({ url: z.string().default('shelf:') }),
    start: ({ settings }) => ({ shelf: shelf.connect(settings.url) }),
    stop({ shelf: connection }) {
      connection.close();
    },
  });
  const cart = declared.resource('cart', {
    description: 'A cart',
    config: own.config,
    outputs: Outputs.loose(),
    ...(own.observe === undefined ? {} : { observe: own.observe as never }),
    ...(own.plan === undefined ? {} : { plan: own.plan as never }),
    create: (call) => own.create(call as never) as never,
    update: (call) => own.update(call as never) as never,
    async delete(call) {
      await own.delete(call as never);
    },
  });
  return declared.types(cart);
}
