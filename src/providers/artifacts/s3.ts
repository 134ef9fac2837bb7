// Stores artifacts as objects of a bucket. One request uploads an object with its digest, so the server stores all or
// nothing and an interrupted upload leaves no parts. (One request carries up to 5 GiB.)
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { ArtifactStore, Digest } from '../../domain/providers/artifact.ts';
import type { Clock } from '../../lib/clock.ts';
import { reclaiming } from '../reclaim.ts';
import { claim, linkText } from './collection/claims.ts';
import { collect } from './collection/collect.ts';
import { hexOf, places } from './collection/names.ts';
import {
  artifactLocation,
  type Bucket,
  type Location,
  responseStatus,
  sizeOf,
  unlessMissing,
} from './s3-bucket.ts';
import { collectableBucket, trashedIn } from './s3-collection.ts';
import { prepareStaging, type StagedFile, stageArtifact } from './staging.ts';
import { verifiedBytes } from './verify.ts';

interface S3Settings {
  readonly kind: 's3';
  readonly bucket: string;
  /** Prefix of every object's name, including its `/` if it is to be a folder. */
  readonly prefix: string;
  readonly region: string;
  /** For servers other than AWS. */
  readonly endpoint?: string | undefined;
  /** Puts the bucket into the path instead of the host name, as most servers other than AWS need. */
  readonly pathStyle: boolean;
  /** Defaults to the usual sources: environment, web identity, instance. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** A local folder for uncommitted uploads. */
  readonly stagingFolder: string;
}

interface BucketRefusal {
  /** undefined: no response arrived. */
  readonly status: number | undefined;
  readonly thrown: unknown;
}

const attempts = 3;

export async function openS3Store(settings: S3Settings, clock: Clock): Promise<ArtifactStore> {
  const { stagingFolder, prefix } = settings;
  await prepareStaging(stagingFolder, clock);
  const bucket = { client: clientFor(settings), name: settings.bucket, prefix };
  return {
    async put(source, options) {
      const staged = await stageArtifact(stagingFolder, source, options);
      return {
        ...staged,
        commit: async () => {
          await uploadStaged(bucket, staged);
          await staged.discard();
          return { digest: staged.digest, size: staged.size };
        },
      };
    },
    async open(digest) {
      const answer = await anywhere(bucket, digest, (location) => getObject(bucket, location));
      if (answer === undefined) return undefined;
      const { Body: body, ContentLength: size } = answer;
      if (!(body instanceof Readable) || size === undefined) {
        throw new TypeError('The S3 server sent an object without a body or a length');
      }
      return { digest, size, bytes: verifiedBytes(body, { digest, size }) };
    },
    has: (digest) => hasArtifact(bucket, digest),
    async link(digest, namespace) {
      const link = locateLink(bucket, digest, namespace);
      const body = Buffer.from(linkText);
      await bucket.client.send(
        new PutObjectCommand({ ...link, Body: body, ContentLength: body.length }),
      );
    },
    async isLinked(digest, namespace) {
      const link = await sizeOf(bucket, locateLink(bucket, digest, namespace));
      return link !== undefined && (await hasArtifact(bucket, digest));
    },
    async delete(digest) {
      await bucket.client.send(new DeleteObjectCommand(artifactLocation(bucket, digest)));
    },
    async claim(installation) {
      await claim(collectableBucket(bucket), installation);
    },
    collect: (request, signal) => collect(collectableBucket(bucket), request, { clock, signal }),
  };
}

function getObject({ client }: Bucket, location: Location) {
  return unlessMissing(client.send(new GetObjectCommand(location)));
}

async function hasArtifact(bucket: Bucket, digest: Digest): Promise<boolean> {
  const size = await anywhere(bucket, digest, (location) => sizeOf(bucket, location));
  return size !== undefined;
}

/** Also finds an artifact in the trash, and one that is moved at the same time. */
async function anywhere<T>(
  bucket: Bucket,
  digest: Digest,
  find: (location: Location) => Promise<T | undefined>,
): Promise<T | undefined> {
  const place = artifactLocation(bucket, digest);
  const found = await find(place);
  if (found !== undefined) return found;
  const trashed = await trashedIn(bucket, digest);
  const inTrash = trashed === undefined ? undefined : await find(trashed);
  return inTrash ?? (await find(place));
}

function clientFor({ endpoint, region, pathStyle, credentials }: S3Settings): S3Client {
  return new S3Client({
    region,
    forcePathStyle: pathStyle,
    maxAttempts: attempts,
    // We send and check digests ourselves; not every server supports the library's additional checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint === undefined ? {} : { endpoint }),
    // A copy, because the library modifies it.
    ...(credentials === undefined ? {} : { credentials: { ...credentials } }),
  });
}

async function uploadStaged(bucket: Bucket, staged: StagedFile): Promise<void> {
  const size = await sizeOf(bucket, artifactLocation(bucket, staged.digest));
  if (size === staged.size) return;
  // An object of another length is damaged, and only then it is overwritten.
  let once = size === undefined;
  for (let attempt = 1; ; attempt += 1) {
    const refused = await putObject(bucket, staged, once);
    // The precondition failed: somebody else already uploaded the same bytes.
    if (refused === undefined || refused.status === 412) return;
    // Not every server supports preconditions. The name ensures that only the same content is overwritten.
    if (refused.status === 501) once = false;
    if (attempt === attempts || !isPassing(refused.status)) throw refused.thrown;
  }
}

async function putObject(
  bucket: Bucket,
  { path, size, digest }: StagedFile,
  once: boolean,
): Promise<BucketRefusal | undefined> {
  // The library cannot resend a stream; every attempt reads the file from its start.
  const body = Readable.from(reclaiming(createReadStream(path)), { objectMode: false });
  try {
    await bucket.client.send(
      new PutObjectCommand({
        ...artifactLocation(bucket, digest),
        Body: body,
        ContentLength: size,
        ContentType: 'application/octet-stream',
        ChecksumSHA256: Buffer.from(hexOf(digest), 'hex').toString('base64'),
        ...(once ? { IfNoneMatch: '*' } : {}),
      }),
    );
    return undefined;
  } catch (thrown) {
    return { status: responseStatus(thrown), thrown };
  } finally {
    body.destroy();
  }
}

function locateLink({ name, prefix }: Bucket, digest: Digest, namespace: string): Location {
  return { Bucket: name, Key: `${prefix}${places.links}/${namespace}/sha256-${hexOf(digest)}` };
}

/** 409: two conditional writes collided. */
function isPassing(status: number | undefined): boolean {
  return status === undefined || status === 409 || status === 429 || status >= 500;
}
