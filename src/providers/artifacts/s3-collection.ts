// Marks and the trash of a bucket. A move copies first and deletes second: between the two, an artifact is in both places.
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { Digest } from '../../domain/providers/artifact.ts';
import type { StoredClaim } from './collection/claims.ts';
import type { CollectableStore } from './collection/collect.ts';
import { digestOf, entryName, hexOf, namedEntry, places } from './collection/names.ts';
import type { AgedArtifact } from './collection/plan.ts';
import {
  artifactLocation,
  type Bucket,
  type Location,
  locationOf,
  unlessMissing,
} from './s3-bucket.ts';

/** @returns where an artifact is in the trash, if it is */
export async function trashedIn(bucket: Bucket, digest: Digest): Promise<Location | undefined> {
  for await (const { name } of claimsUnder(bucket, `${places.trash}/${hexOf(digest)}.`)) {
    return locationOf(bucket, `${places.trash}/${hexOf(digest)}.${name}`);
  }
  return undefined;
}

export function collectableBucket(bucket: Bucket): CollectableStore {
  const { client } = bucket;
  /** The sizes of the last list. */
  const sizes = new Map<Digest, number>();
  const markOf = (entry: AgedArtifact) => locationOf(bucket, `${places.marks}/${entryName(entry)}`);
  const trashOf = (entry: AgedArtifact) =>
    locationOf(bucket, `${places.trash}/${entryName(entry)}`);

  async function entriesIn(
    place: string,
  ): Promise<readonly (AgedArtifact & { readonly size: number })[]> {
    const found: (AgedArtifact & { readonly size: number })[] = [];
    for await (const { name, size } of claimsUnder(bucket, `${place}/`)) {
      const entry = namedEntry(name);
      if (entry !== undefined) found.push({ ...entry, size });
    }
    return found;
  }

  async function move(from: Location, to: Location): Promise<void> {
    const source = `${from.Bucket}/${from.Key}`.split('/').map(encodeURIComponent).join('/');
    const copied = await unlessMissing(
      client.send(new CopyObjectCommand({ ...to, CopySource: source })),
    );
    // Missing: another process has moved it.
    if (copied !== undefined) await client.send(new DeleteObjectCommand(from));
  }

  async function put(location: Location, text: string): Promise<void> {
    const body = Buffer.from(text);
    await client.send(
      new PutObjectCommand({ ...location, Body: body, ContentLength: body.length }),
    );
  }

  async function remove(location: Location): Promise<void> {
    await client.send(new DeleteObjectCommand(location));
  }

  return {
    async list() {
      sizes.clear();
      const marks = await entriesIn(places.marks);
      const trash = await entriesIn(places.trash);
      for (const { digest, size } of trash) sizes.set(digest, size);
      const artifacts = new Set<Digest>();
      for await (const { name, size } of claimsUnder(bucket, `${places.artifacts}/`)) {
        const digest = digestOf(name);
        if (digest === undefined) continue;
        artifacts.add(digest);
        sizes.set(digest, size);
      }
      return { artifacts, marks, trash };
    },
    sizeOf: (digest) => Promise.resolve(sizes.get(digest) ?? 0),
    objectsIn: (place) => claimsUnder(bucket, `${place}/`),
    async readText(path) {
      const location = locationOf(bucket, path);
      const answer = await unlessMissing(client.send(new GetObjectCommand(location)));
      return await answer?.Body?.transformToString();
    },
    writeText: (path, text) => put(locationOf(bucket, path), text),
    remove: (path) => remove(locationOf(bucket, path)),
    mark: (entry) => put(markOf(entry), ''),
    unmark: (entry) => remove(markOf(entry)),
    discard: (entry) => move(artifactLocation(bucket, entry.digest), trashOf(entry)),
    restore: (entry) => move(trashOf(entry), artifactLocation(bucket, entry.digest)),
    purge: (entry) => remove(trashOf(entry)),
  };
}

async function* claimsUnder(bucket: Bucket, path: string): AsyncGenerator<StoredClaim, void, void> {
  const { Bucket: name, Key: prefix } = locationOf(bucket, path);
  let token: string | undefined;
  do {
    const page = await bucket.client.send(
      new ListObjectsV2Command({
        Bucket: name,
        Prefix: prefix,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
    );
    for (const { Key: key = '', Size: size = 0, LastModified } of page.Contents ?? []) {
      yield { name: key.slice(prefix.length), size, modified: LastModified ?? new Date(0) };
    }
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}
