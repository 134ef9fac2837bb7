// Shards divide namespaces among the replicas of the controller: every namespace belongs to exactly one.

const offsetBasis = 0x81_1c_9d_c5;
const prime = 0x01_00_01_93;

/**
 * Returns the shard of a namespace, from 0 to `shards` - 1: its FNV-1a hash (32 bits) modulo the number of shards. Every
 * version of Fairlead must return the same, because versions run beside each other during an upgrade.
 *
 * @example shardOf('fl-acme-5f3c', 4)
 */
export function shardOf(namespace: string, shards: number): number {
  let hash = offsetBasis;
  for (let at = 0; at < namespace.length; at += 1) {
    hash = Math.imul(hash ^ namespace.charCodeAt(at), prime);
  }
  return (hash >>> 0) % shards;
}
