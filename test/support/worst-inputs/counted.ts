// Counts how often a function reads its input: what a test can say of its cost, whatever the machine.

export interface Reads {
  count: number;
}

/** @returns the same value; each look at a member or at the names of an object, at any depth, counts */
export function counted<T>(whole: T, reads: Reads): T {
  const known = new WeakMap<object, object>();
  const once = () => {
    reads.count += 1;
  };
  const handler: ProxyHandler<object> = {
    get(target, name, receiver) {
      once();
      return wrapped(Reflect.get(target, name, receiver));
    },
    has(target, name) {
      once();
      return Reflect.has(target, name);
    },
    getOwnPropertyDescriptor(target, name) {
      once();
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    ownKeys(target) {
      once();
      return Reflect.ownKeys(target);
    },
  };

  function wrapped(value: unknown): unknown {
    const isPlain = Array.isArray(value) || Object.getPrototypeOf(value ?? 0) === Object.prototype;
    if (typeof value !== 'object' || value === null || !isPlain) return value;
    const before = known.get(value);
    if (before !== undefined) return before;
    const proxy = new Proxy(value, handler);
    known.set(value, proxy);
    return proxy;
  }
  return wrapped(whole) as T;
}
