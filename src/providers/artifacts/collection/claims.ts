// Says which installations use a place. Artifacts are stored once for equal bytes, so two installations can share a place for
// years without noticing it; only one of them would know what the other one refers to. An installation therefore removes
// something only in a place that it claimed while it was empty, that nobody else has claimed since; or for which
// an administrator said that nobody else uses it.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { places, stateName } from './names.ts';

const Text = z.object({ id: z.string().min(1), alone: z.boolean() });

/** The claim that an installation wrote into a place. */
interface Claim {
  /** New whenever another user shows up, so that an old confirmation is never valid for a new state. */
  readonly id: string;
  /** The place was empty when it was claimed, or an administrator confirmed that nobody else uses it. */
  readonly alone: boolean;
}

/** A file of a folder, or an object of a bucket. */
export interface StoredClaim {
  /** Below the place that was listed. */
  readonly name: string;
  readonly size: number;
  /** By the clock of the store. */
  readonly modified: Date;
}

/** The operations of a folder or a bucket for claims. Paths are below the folder or the prefix. */
export interface ClaimableStore {
  objectsIn(place: string): AsyncIterable<StoredClaim>;
  readText(path: string): Promise<string | undefined>;
  /** Atomically. */
  writeText(path: string, text: string): Promise<void>;
  /** Also succeeds when it does not exist. */
  remove(path: string): Promise<void>;
}

/** The content of a link. */
export const linkText = 'linked\n';

/** Records that an installation uses a place. */
export async function claim(store: ClaimableStore, installation: string): Promise<Claim> {
  const known = await ownIn(store, installation);
  if (known?.alone === true) return known;
  const own = known ?? (await writeClaim(store, installation, { id: randomUUID(), alone: false }));
  // After the write: of two that claim at the same time, at least one sees the other.
  const others = await otherClaims(store, installation);
  if (others.length > 0 || !(await isUnused(store))) return own;
  return await writeClaim(store, installation, { ...own, alone: true });
}

type Permission =
  | { readonly outcome: 'done' }
  /** Another installation uses the place, or nobody confirmed that none does; `claim` is the id to confirm. */
  | { readonly outcome: 'foreign' | 'unconfirmed'; readonly claim: string };

/** Decides whether an installation may remove something from a place, and claims it. */
export async function permissionOf(
  store: ClaimableStore,
  { installation, confirmed }: { installation: string; confirmed?: string | undefined },
): Promise<Permission> {
  const own = await claim(store, installation);
  const others = await otherClaims(store, installation);
  if (!own.alone && own.id === confirmed) {
    // One that still runs claims the place again.
    for (const other of others) await store.remove(`${places.claims}/${other}`);
    await writeClaim(store, installation, { ...own, alone: true });
    return { outcome: 'done' };
  }
  if (!own.alone) return { outcome: others.length > 0 ? 'foreign' : 'unconfirmed', claim: own.id };
  if (others.length === 0) return { outcome: 'done' };
  const { id } = await writeClaim(store, installation, { id: randomUUID(), alone: false });
  return { outcome: 'foreign', claim: id };
}

async function isUnused(store: ClaimableStore): Promise<boolean> {
  if ((await store.readText(stateName)) !== undefined) return false;
  for (const place of [places.artifacts, places.links, places.marks, places.trash]) {
    for await (const _object of store.objectsIn(place)) return false;
  }
  return true;
}

/** Returns the names of the claims of others. */
async function otherClaims(
  store: ClaimableStore,
  installation: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name } of store.objectsIn(places.claims)) {
    if (name !== encodeURIComponent(installation)) found.push(name);
  }
  return found;
}

async function ownIn(store: ClaimableStore, installation: string): Promise<Claim | undefined> {
  const text = await store.readText(claimFile(installation));
  if (text === undefined) return undefined;
  try {
    return Text.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function writeClaim(store: ClaimableStore, installation: string, own: Claim): Promise<Claim> {
  await store.writeText(claimFile(installation), JSON.stringify(own));
  return own;
}

function claimFile(installation: string): string {
  return `${places.claims}/${encodeURIComponent(installation)}`;
}
