// Objects of a bucket under a prefix.
import { HeadObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { Digest } from '../../domain/providers/artifact.ts';
import { hexOf, places } from './collection/names.ts';

export interface Bucket {
  readonly client: S3Client;
  readonly name: string;
  readonly prefix: string;
}

export interface Location {
  readonly Bucket: string;
  readonly Key: string;
}

/** @param path below the prefix */
export function locationOf({ name, prefix }: Bucket, path: string): Location {
  return { Bucket: name, Key: `${prefix}${path}` };
}

export function artifactLocation(bucket: Bucket, digest: Digest): Location {
  return locationOf(bucket, `${places.artifacts}/${hexOf(digest)}`);
}

export async function sizeOf({ client }: Bucket, location: Location): Promise<number | undefined> {
  const answer = await unlessMissing(client.send(new HeadObjectCommand(location)));
  return answer?.ContentLength;
}

export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    // A missing bucket is also a 404, but a configuration error to report.
    if (responseStatus(thrown) === 404 && errorName(thrown) !== 'NoSuchBucket') return undefined;
    throw thrown;
  }
}

export function responseStatus(thrown: unknown): number | undefined {
  return thrown instanceof S3ServiceException ? thrown.$metadata.httpStatusCode : undefined;
}

function errorName(thrown: unknown): string | undefined {
  return thrown instanceof Error ? thrown.name : undefined;
}
