// A real S3 server (Versity's gateway over a folder), built from its published Go module once (a minute or two) and cached.
// One for all files of a run, with a bucket for each: three workers would build it three times.
import { execFile, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { inject } from 'vitest';
import { loadConfig } from '../../../src/app/config/index.ts';
import { findProgram } from '../../../src/dev/search-path.ts';
import { eventually } from '../runner/eventually.ts';
import { freePort } from '../runner/free-port.ts';
import { borrow, type Lent } from './lent/on-demand.ts';

const program = 'github.com/versity/versitygw/cmd/versitygw';
const moduleFiles = ['go.mod', 'go.sum'];
const sources = join(import.meta.dirname, '../s3server');
const credentials = { accessKeyId: 'fairlead', secretAccessKey: 'not-a-secret-of-anything' };
const region = 'us-east-1';

interface S3Server {
  readonly endpoint: string;
  /** The folder of its buckets as files. */
  readonly folder: string;
}

export interface S3Bucket {
  readonly name: string;
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: typeof credentials;
  /** The folder of its objects as files. */
  readonly folder: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of what lends the S3 server. */
    s3Server: string;
  }
}

/** @returns the `go` command, undefined where there is none */
export function findGo(): string | undefined {
  return findProgram('go', loadConfig([]).binaries.searchPath);
}

/** @returns a new bucket on the S3 server of this run, which the first caller starts */
export async function s3Bucket(): Promise<S3Bucket> {
  const { endpoint, folder } = await borrow<S3Server>(inject('s3Server'), 'shared');
  const name = `bucket-${randomUUID()}`;
  // The client adds members to what it is given.
  const login = { ...credentials };
  const client = new S3Client({ endpoint, region, credentials: login, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: name }));
  client.destroy();
  return { name, endpoint, region, credentials, folder: join(folder, name) };
}

/** @returns an S3 server to be lent */
export async function startS3Server(): Promise<Lent> {
  const go = findGo();
  if (go === undefined) throw new Error('There is no Go to build an S3 server with');
  const binary = await build(go);
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-s3-'));
  for (const name of ['objects', 'metadata']) mkdirSync(join(folder, name));
  const port = await freePort();
  const child = spawn(
    binary,
    [
      ...['--port', `127.0.0.1:${port}`, '--region', region, '--quiet'],
      ...['--access', credentials.accessKeyId, '--secret', credentials.secretAccessKey],
      // Some file systems lack extended attributes.
      ...['posix', '--sidecar', join(folder, 'metadata'), join(folder, 'objects')],
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  await eventually(() => reach(port));
  const place: S3Server = {
    endpoint: `http://127.0.0.1:${port}`,
    folder: join(folder, 'objects'),
  };
  return {
    place,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function build(go: string): Promise<string> {
  const modules = createHash('sha256');
  for (const name of moduleFiles) modules.update(readFileSync(join(sources, name)));
  const key = `${process.platform}-${process.arch}-${modules.digest('hex').slice(0, 12)}`;
  const cache = join(loadConfig([]).cacheFolder, 's3-server');
  const binary = join(cache, key);
  if (existsSync(binary)) return binary;
  process.stderr.write('  Building an S3 server for tests with Go, once (a minute or two) …\n');
  mkdirSync(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'build-'));
  try {
    // A copy: Go must not write into the checkout.
    for (const name of moduleFiles) copyFileSync(join(sources, name), join(work, name));
    const flags = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags=-s -w'];
    const args = ['CGO_ENABLED=0', go, 'build', ...flags, '-o', 'server', program];
    await promisify(execFile)('/usr/bin/env', args, { cwd: work });
    await rename(join(work, 'server'), binary);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return binary;
}

async function reach(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
