// Serves GET /artifacts/{digest} and POST /artifacts to pods, and POST /artifacts/collection to the controller. A token permits
// one object in one direction. Bytes are streamed, never buffered. An upload is stored under its digest, which is the response.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Request, Response } from 'express';
import express from 'express';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { FairleadError } from '../domain/errors.ts';
import {
  type ArtifactRef,
  type ArtifactStore,
  type CollectionReport,
  type Digest,
  isDigest,
} from '../domain/providers/artifact.ts';
import type { Clock } from '../lib/clock.ts';
import { jsonIn } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import { readBounded } from '../lib/read-bounded.ts';
import { accessLog } from './access-log.ts';
import type { ArtifactVerifier, VerifiedGrant } from './auth/artifact-tokens.ts';
import { ClientGone } from './request/body.ts';
import { beginRequestContext, requestContextOf } from './request/context.ts';
import { boundUnreadBody } from './request/unread-body.ts';
import { answerErrors } from './response/errors.ts';
import { json, send } from './response/send.ts';

interface InternalAppDeps {
  readonly artifacts: Pick<ArtifactStore, 'put' | 'open' | 'link' | 'isLinked' | 'collect'>;
  readonly tokens: ArtifactVerifier;
  readonly clock: Clock;
  readonly log: Log;
}

const collectionPath = '/artifacts/collection';
const lingerMs = 5_000;
const rememberedUploads = 10_000;
/** `namespace/name`; Fairlead's own processes have no namespace, because their logs belong to no tenant. */
const podHolder = /^([a-z0-9-]+)\/[^/]+$/;

/** The digest of each token's upload, by token id: a repeated upload must have the same bytes. */
type Uploaded = LRUCache<string, Digest>;

export function createInternalApp(deps: InternalAppDeps): Express {
  const { log, clock } = deps;
  const uploaded: Uploaded = new LRUCache({ max: rememberedUploads });
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use(beginRequestContext(randomUUID), accessLog({ log, clock }), boundUnreadBody(lingerMs));
  app.use((req, res) => serveArtifact(deps, uploaded, { req, res }));
  app.use(answerErrors({ log }));
  return app;
}

interface InternalExchange {
  readonly req: Request;
  readonly res: Response;
}

async function serveArtifact(
  deps: InternalAppDeps,
  uploaded: Uploaded,
  exchange: InternalExchange,
): Promise<void> {
  const { req, res } = exchange;
  const [, digest] = /^\/artifacts\/([a-z0-9]+:[0-9a-f]+)$/.exec(req.url) ?? [undefined];
  const isArtifact = digest !== undefined;
  const pattern = isArtifact ? '/artifacts/{digest}' : req.url;
  if (!isArtifact && pattern !== '/artifacts' && pattern !== collectionPath) {
    throw new FairleadError('not_found', 'Not Found');
  }
  requestContextOf(req).route = { pattern };
  const method = isArtifact ? 'GET' : 'POST';
  if (req.method !== method) {
    res.setHeader('Allow', method);
    throw new FairleadError('method_not_allowed', 'Method Not Allowed');
  }
  const verified = await deps.tokens.verify(artifactToken(req));
  if (isArtifact) await download(deps, exchange, { verified, digest });
  else if (pattern === collectionPath) await answerCollection(deps, exchange, verified);
  else await receiveUpload(deps, exchange, { verified, uploaded });
}

function artifactToken({ headers }: Request): string {
  const [, token = ''] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  return token;
}

async function download(
  { artifacts, log }: InternalAppDeps,
  { res }: InternalExchange,
  { verified: { grant }, digest }: { verified: VerifiedGrant; digest: string },
): Promise<void> {
  if (grant.direction !== 'download' || grant.digest !== digest) throw notThis();
  const { namespace } = grant;
  const isHidden = namespace !== undefined && !(await artifacts.isLinked(grant.digest, namespace));
  const stored = isHidden ? undefined : await artifacts.open(grant.digest);
  if (stored === undefined) {
    throw new FairleadError('not_found', `Artifact not found: ${digest}`);
  }
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Type', 'application/octet-stream');
  res.setHeader('Content-Length', stored.size);
  try {
    await pipeline(Readable.from(stored.bytes), res);
  } catch (thrown) {
    // The pod detects the short body by the announced length. Only a reader that disconnected needs no log line.
    if (res.errored === null && res.closed) return;
    log.error({ error: thrown, digest }, 'Reading an artifact failed');
    res.destroy();
  } finally {
    // A pipeline into a closed response never starts, and leaves its source open.
    await stored.bytes.return();
  }
}

async function receiveUpload(
  { artifacts, log }: InternalAppDeps,
  { req, res }: InternalExchange,
  { verified, uploaded }: { verified: VerifiedGrant; uploaded: Uploaded },
): Promise<void> {
  const { grant, holder, id } = verified;
  if (grant.direction !== 'upload') throw notThis();
  const { maxBytes } = grant;
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) {
    throw new FairleadError('too_large', `The upload is larger than ${maxBytes} bytes`);
  }
  // The server leaves this decision to the handler (see listen.ts), so that rejected bodies are not uploaded.
  if (req.headers.expect !== undefined) res.writeContinue();
  const staged = await artifacts.put(uploadedBytes(req), { maxBytes });
  let ref: ArtifactRef;
  try {
    const before = uploaded.get(id) ?? staged.digest;
    if (before !== staged.digest) {
      const message = 'The token was already used to upload other content';
      throw new FairleadError('conflict', message);
    }
    // Recorded before the commit, so that concurrent uploads are ordered. Only this process has the record: a client that
    // reaches another process uploads bytes that no object will name.
    uploaded.set(id, staged.digest);
    ref = await staged.commit();
    // Recorded before the response: a pod that receives no response uploads the same bytes again.
    const [, namespace] = podHolder.exec(holder) ?? [];
    if (namespace !== undefined) await artifacts.link(ref.digest, namespace);
  } finally {
    await staged.discard();
  }
  log.info({ holder, digest: ref.digest, size: ref.size }, 'Artifact uploaded');
  await send(res, json({ digest: ref.digest, size: ref.size }));
}

async function answerCollection(
  { artifacts }: InternalAppDeps,
  { req, res }: InternalExchange,
  { grant }: VerifiedGrant,
): Promise<void> {
  if (grant.direction !== 'collect') throw notThis();
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  await send(res, json(await collectArtifacts(artifacts, uploadedBytes(req), gone.signal)));
}

/** An early exit does not destroy the request: that would close the connection, and lose the response. */
async function* uploadedBytes(req: Request): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* req.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch (thrown) {
    throw new ClientGone('The client closed the connection before the end of the request body', {
      cause: thrown,
    });
  }
}

function notThis(): FairleadError {
  return new FairleadError('forbidden', 'The token does not permit access to this artifact');
}

// Answers POST /artifacts/collection of the controller, for artifacts that only the API can reach: those in a folder.

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
async function collectArtifacts(
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
