// Interfaces of the artifact store. An artifact is uploaded or built code, stored under its digest and immutable.

/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

const digestShape = /^sha256:[0-9a-f]{64}$/;

export function isDigest(text: string): text is Digest {
  return digestShape.test(text);
}

export interface ArtifactRef {
  readonly digest: Digest;
  /** In bytes. */
  readonly size: number;
}

/** The scope of a token: fetch one named artifact, upload a new one, or remove unreferenced ones. */
export type ArtifactGrant =
  | {
      readonly direction: 'download';
      readonly digest: Digest;
      /** The token can read the artifact only when it is linked to this namespace. */
      readonly namespace?: string | undefined;
    }
  | { readonly direction: 'upload'; readonly maxBytes: number }
  /** Removes unreferenced artifacts. */
  | { readonly direction: 'collect' };

/** A received upload that is not stored yet. Its owner commits or discards it; discarding twice is harmless. */
export interface StagedArtifact extends ArtifactRef {
  /** A local file with the bytes, until it is committed or discarded. */
  readonly path: string;
  /** Stores the artifact atomically: after it the whole artifact exists, before it nothing. Idempotent for equal bytes. */
  commit(): Promise<ArtifactRef>;
  discard(): Promise<void>;
}

export interface PutOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface StoredArtifact extends ArtifactRef {
  /**
   * The bytes, to be read once or ended early by `return()`. The last chunk is held back until length and digest are
   * verified: a reader that counts bytes never takes a damaged artifact for a whole one.
   * @throws ArtifactDamaged instead of ending
   */
  readonly bytes: AsyncGenerator<Uint8Array, void, void>;
}

export interface ArtifactStore {
  /**
   * Receives bytes into a temporary file. A failure leaves nothing behind.
   * @throws FairleadError `too_large` at the first byte over the limit; errors of the source; the signal's reason
   */
  put(source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StagedArtifact>;
  /** @returns undefined when it does not exist */
  open(digest: Digest): Promise<StoredArtifact | undefined>;
  has(digest: Digest): Promise<boolean>;
  /**
   * Records that a pod of the namespace uploaded an artifact. As in image registries, bytes are stored once and links record
   * the uploaders: knowing a digest gives no access. A link outlives its artifact and is valid again when the same bytes
   * return.
   */
  link(digest: Digest, namespace: string): Promise<void>;
  /** @returns true for an artifact that exists and that a pod of the namespace uploaded */
  isLinked(digest: Digest, namespace: string): Promise<boolean>;
  /** Also succeeds when it does not exist. */
  delete(digest: Digest): Promise<void>;
  /** Records that an installation uses this place, so that no other one removes what it needs. Repeat it every hour. */
  claim(installation: string): Promise<void>;
  /** One pass of the garbage collection. Every step of a pass may be repeated, also by two processes at the same time. */
  collect(request: CollectionRequest, signal: AbortSignal): Promise<CollectionReport>;
}

export interface CollectionRequest {
  /** Unique to the installation, because two must not collect the same artifacts. */
  readonly installation: string;
  /** The claim for which an administrator confirms that nobody else uses the place. */
  readonly confirmed?: string | undefined;
  /** All digests that objects refer to. */
  readonly referenced: ReadonlySet<Digest>;
  /** How long an artifact must be unreferenced before it is moved to the trash. */
  readonly graceSeconds: number;
  /** The most time that one pass may count. */
  readonly stepSeconds: number;
  /** Marks artifacts and counts time, but removes nothing. */
  readonly dryRun: boolean;
}

export interface Amount {
  readonly count: number;
  readonly bytes: number;
}

export interface CollectionReport {
  /**
   * `foreign`: another installation uses this place. `unconfirmed`: the place was in use before claims were recorded. In both,
   * nothing was changed.
   */
  readonly outcome: 'done' | 'foreign' | 'unconfirmed';
  /** Unless `done`: what an administrator confirms when nobody else uses the place. */
  readonly claim?: string | undefined;
  /** Unreferenced, within the grace period. */
  readonly waiting: Amount;
  /** Past the grace period, which only a dry run leaves in place. */
  readonly due: Amount;
  /** Moved to the trash, where they can still be read. */
  readonly trash: Amount;
  /** Deleted by this pass. */
  readonly removed: Amount;
  /** Moved back from the trash by this pass, as they are referenced again. */
  readonly restored: Amount;
}

/** The stored bytes do not match the digest and must not be used. */
export class ArtifactDamaged extends Error {
  override readonly name = 'ArtifactDamaged';
}
