// Shares what is equal between cached objects. JSON.parse makes a new string and a new tree for every value, also for one that
// thousands of objects have, or that an object had in its version before.

/** Strings that values share. */
type StringPool = string[];

/** JSON.parse shares strings of up to ten characters itself, and long ones are seldom equal. */
const minLength = 11;
const maxLength = 128;

/** Each slot holds the last string with its hash, so that unique strings replace each other. A Map costs three times as much. */
const slots = 4_096;

/** Deeper parts stay as they are: a config may be nested deeper than the stack. */
const maxDepth = 32;

type ObjectMembers = Record<string, unknown>;

const noMembers: Readonly<ObjectMembers> = {};
const noItems: readonly unknown[] = [];

export function createStringPool(): StringPool {
  return new Array<string>(slots).fill('');
}

/**
 * Replaces parts of a JSON value in place: those that equal the same part of a known value, and strings that are in the pool.
 * @returns the known value if all of it is equal
 */
export function share<T>(next: T, known: T | undefined, pool: StringPool): T {
  return shareValue(next, known, { pool, depth: 0 }) as T;
}

interface PoolLevel {
  readonly pool: StringPool;
  readonly depth: number;
}

function shareValue(next: unknown, known: unknown, place: PoolLevel): unknown {
  if (typeof next === 'string') return next === known ? known : pooled(next, place.pool);
  if (typeof next !== 'object' || next === null || next === known) return next;
  if (place.depth === maxDepth) return next;
  const inside = { pool: place.pool, depth: place.depth + 1 };
  if (Array.isArray(next)) return shareItems(next, Array.isArray(known) ? known : noItems, inside);
  const isAlike = typeof known === 'object' && known !== null && !Array.isArray(known);
  return shareMembers(
    next as ObjectMembers,
    isAlike ? (known as ObjectMembers) : noMembers,
    inside,
  );
}

function shareItems(next: unknown[], known: readonly unknown[], place: PoolLevel): unknown {
  let isSame = known !== noItems && next.length === known.length;
  for (let at = 0; at < next.length; at += 1) {
    const item = shareValue(next[at], known[at], place);
    next[at] = item;
    isSame &&= item === known[at];
  }
  return isSame ? known : next;
}

function shareMembers(next: ObjectMembers, known: ObjectMembers, place: PoolLevel): unknown {
  // With for…in, V8 optimizes this function and deoptimizes it again, without an end.
  const keys = Object.keys(next);
  let isSame = known !== noMembers && keys.length === Object.keys(known).length;
  for (const key of keys) {
    const value = next[key];
    // An inherited `__proto__` is no member.
    const before = key === '__proto__' ? undefined : known[key];
    const member = shareValue(value, before, place);
    // Equal strings are two until one is assigned.
    if (typeof value === 'string' || member !== value) next[key] = member;
    isSame &&= member === before;
  }
  return isSame ? known : next;
}

function pooled(text: string, pool: StringPool): string {
  if (text.length < minLength || text.length > maxLength) return text;
  const slot = slotOf(text);
  const known = pool[slot];
  if (known === text) return known;
  pool[slot] = text;
  return text;
}

/** From at most 33 characters, the last ones first: they differ most often. */
function slotOf(text: string): number {
  const step = (text.length >> 5) + 1;
  let hash = text.length;
  for (let at = text.length - 1; at >= 0; at -= step) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 12)) & (slots - 1);
}
