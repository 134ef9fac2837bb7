// Stores the sessions and codes of the issuer in bounded memory. They end with the process; tokens do not need them.
import { LRUCache } from 'lru-cache';
import type { Adapter, AdapterPayload } from 'oidc-provider';

const maxEntries = 10_000;
const entries = new LRUCache<string, AdapterPayload>({ max: maxEntries });
/** Expired entries stay for a while: the answer to an expired code differs from that to an unknown one. */
const graceSeconds = 600;
const userCodes = new LRUCache<string, string>({ max: maxEntries });
const uids = new LRUCache<string, string>({ max: maxEntries });
const grants = new LRUCache<string, Set<string>>({ max: maxEntries });

/** @param model such as `Session` or `AuthorizationCode`; each has keys of its own */
export function memoryAdapter(model: string): Adapter {
  const keyFor = (id: string) => `${model}:${id}`;
  return {
    upsert(id, payload, expiresIn = 0) {
      const key = keyFor(id);
      const { uid, grantId, userCode } = payload;
      if (uid !== undefined) uids.set(uid, key);
      if (userCode !== undefined) userCodes.set(userCode, key);
      if (grantId !== undefined) {
        grants.set(grantId, (grants.get(grantId) ?? new Set()).add(key));
      }
      // Some entries have no expiry of their own.
      const ttl = expiresIn > 0 ? (expiresIn + graceSeconds) * 1_000 : 0;
      entries.set(key, payload, { ttl });
      return Promise.resolve();
    },
    find: (id) => Promise.resolve(entries.get(keyFor(id))),
    findByUid: (uid) => Promise.resolve(entries.get(uids.get(uid) ?? '')),
    findByUserCode: (userCode) => Promise.resolve(entries.get(userCodes.get(userCode) ?? '')),
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
