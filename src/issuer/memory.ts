// Stores the sessions and codes of the issuer in bounded memory. They end with the process; tokens do not need them.
import { LRUCache } from 'lru-cache';
import type { Adapter, AdapterPayload } from 'oidc-provider';

const maxEntries = 10_000;
const entries = new LRUCache<string, AdapterPayload>({ max: maxEntries });
const uids = new LRUCache<string, string>({ max: maxEntries });
const grants = new LRUCache<string, Set<string>>({ max: maxEntries });

/** @param model such as `Session` or `AuthorizationCode`; each has keys of its own */
export function memoryAdapter(model: string): Adapter {
  const keyFor = (id: string) => `${model}:${id}`;
  return {
    upsert(id, payload, expiresIn = 0) {
      const key = keyFor(id);
      const { uid, grantId } = payload;
      if (uid !== undefined) uids.set(uid, key);
      if (grantId !== undefined) {
        grants.set(grantId, (grants.get(grantId) ?? new Set()).add(key));
      }
      // Grants have no expiry of their own.
      entries.set(key, payload, { ttl: expiresIn * 1_000 });
      return Promise.resolve();
    },
    find: (id) => Promise.resolve(entries.get(keyFor(id))),
    findByUid: (uid) => Promise.resolve(entries.get(uids.get(uid) ?? '')),
    // Only the device flow uses it, which is not offered.
    findByUserCode: () => Promise.resolve(undefined),
    consume(id) {
      const key = keyFor(id);
      const known = entries.get(key);
      const consumed = Math.floor(Date.now() / 1_000);
      if (known !== undefined) entries.set(key, { ...known, consumed }, { noUpdateTTL: true });
      return Promise.resolve();
    },
    destroy(id) {
      entries.delete(keyFor(id));
      return Promise.resolve();
    },
    revokeByGrantId(grantId) {
      for (const key of grants.get(grantId) ?? []) entries.delete(key);
      grants.delete(grantId);
      return Promise.resolve();
    },
  };
}
