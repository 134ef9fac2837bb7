// Answers POST /artifacts/collection of the controller, for artifacts that only the API can reach: those in a folder.
import { z } from 'zod';
import { FairleadError } from '../domain/errors.ts';
import {
  type ArtifactStore,
  type CollectionReport,
  type Digest,
  isDigest,
} from '../domain/providers/artifact.ts';
import { jsonIn } from '../lib/json.ts';
import { readBounded } from '../lib/read-bounded.ts';

/** More than 800,000 digests. */
const maxBytes = 64 * 1_024 * 1_024;

const Body = z.strictObject({
  installation: z.string().min(1),
  confirmed: z.string().optional(),
  referenced: z.array(z.string().refine(isDigest)),
  graceSeconds: z.int().min(1),
  stepSeconds: z.int().min(1),
  dryRun: z.boolean(),
});

/** @throws FairleadError for anything but a complete list of references: what is missing in it would be removed */
export async function collectArtifacts(
  artifacts: Pick<ArtifactStore, 'collect'>,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<CollectionReport> {
  const tooLarge = () => new FairleadError('too_large', 'There are too many references');
  const bytes = await readBounded(body, maxBytes, tooLarge);
  const parsed = Body.safeParse(jsonIn(bytes.toString()));
  if (!parsed.success) {
    throw new FairleadError('invalid', 'The request for a collection is invalid');
  }
  const { referenced, ...request } = parsed.data;
  return await artifacts.collect({ ...request, referenced: new Set<Digest>(referenced) }, signal);
}
