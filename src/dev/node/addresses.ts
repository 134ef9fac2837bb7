// Allocates one address of 127.0.0.0/8 per pod, so that pods may listen on the same port. Linux answers on all of them. On
// macOS only 127.0.0.1 exists until `ifconfig lo0 alias` adds others; until then a container fails to listen.
import { createHash } from 'node:crypto';

export interface Addresses {
  /** @param wanted the previous address of the pod, which it keeps if possible */
  take(uid: string, wanted?: string): string;
  giveBack(uid: string): void;
}

const perNode = 254 * 254;

/** @param seed differs between the nodes of a machine, so that their ranges are unlikely to collide */
export function createAddresses(seed: string): Addresses {
  const [range = 0, offset = 0] = createHash('sha256').update(seed).digest();
  const held = new Map<string, string>();
  let next = offset * 254;

  function free(): string {
    const taken = new Set(held.values());
    for (let tried = 0; tried < perNode; tried += 1) {
      const address = `127.${64 + (range % 128)}.${1 + (Math.floor(next / 254) % 254)}.${1 + (next % 254)}`;
      // Always the next address, not the last released one: a client may still be calling it.
      next += 1;
      if (!taken.has(address)) return address;
    }
    throw new RangeError('The local node has no free address');
  }

  return {
    take(uid, wanted) {
      const known = held.get(uid) ?? wanted ?? free();
      held.set(uid, known);
      return known;
    },
    giveBack(uid) {
      held.delete(uid);
    },
  };
}
