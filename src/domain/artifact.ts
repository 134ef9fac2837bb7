// Interfaces of the artifact store. An artifact is uploaded or built code, stored under its digest and immutable.

/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

const digestShape = /^sha256:[0-9a-f]{64}$/;

export function isDigest(text: string): text is Digest {
  return digestShape.test(text);
}

export interface ArtifactRef {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
}

/** What a token may be for: fetch one that it names, or hand in one that is not known yet. */
export type ArtifactGrant =
  | {
      readonly direction: 'download';
      readonly digest: Digest;
      /** The artifact is there for the token only when it is linked to this namespace. */
      readonly namespace?: string | undefined;
    }
  | { readonly direction: 'upload'; readonly maximumBytes: number };

/** An upload that has arrived and is not kept yet. Whoever holds it commits or discards it; discarding twice is harmless. */
export interface StagedArtifact extends ArtifactRef {
  /** A local file with the bytes, until it is committed or discarded. */
  readonly path: string;
  /** Keeps it: afterwards the whole artifact is there, before that nothing of it. Commit the same bytes as often as you like. */
  commit(): Promise<ArtifactRef>;
  discard(): Promise<void>;
}

export interface PutOptions {
  readonly maximumBytes: number;
  readonly signal?: AbortSignal;
}

export interface StoredArtifact extends ArtifactRef {
  /**
   * Its bytes, to be read once or ended early by `return()`. The last piece is held back until length and digest are
   * known to be right: whoever counts bytes never sees a damaged artifact as a whole one.
   * @throws ArtifactDamaged instead of ending
   */
  readonly bytes: AsyncGenerator<Uint8Array, void, void>;
}

export interface ArtifactStore {
  /**
   * Receives bytes into a temporary file. Nothing is left of what fails.
   * @throws FairleadError `too_large` as soon as a byte too many has come; what the source throws; the signal's reason
   */
  put(source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StagedArtifact>;
  /** @returns undefined when it is not there */
  open(digest: Digest): Promise<StoredArtifact | undefined>;
  has(digest: Digest): Promise<boolean>;
  /**
   * Records that a pod of the namespace handed in an artifact. As in registries of images, bytes are kept once and links say who
   * brought them: who only knows a digest has none. A link outlives its artifact, and is of use when the same bytes come back.
   */
  link(digest: Digest, namespace: string): Promise<void>;
  /** @returns true for an artifact that is there and that a pod of the namespace handed in */
  isLinked(digest: Digest, namespace: string): Promise<boolean>;
  /** Also of what is not there. */
  delete(digest: Digest): Promise<void>;
}

/** What is kept under a digest is not what the digest says. It must not be used. */
export class ArtifactDamaged extends Error {
  override readonly name = 'ArtifactDamaged';
}
