// Runs a real S3 server (Versity's gateway over a folder), built from its published Go module once (a minute or two) and
// cached.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { loadConfig } from '../../../src/app/config/index.ts';
import { findProgram } from '../../../src/dev/search-path.ts';
import { eventually } from '../runner/eventually.ts';
import { freePort } from '../runner/free-port.ts';

const program = 'github.com/versity/versitygw/cmd/versitygw';
const moduleFiles = ['go.mod', 'go.sum'];
const sources = join(import.meta.dirname, '../s3server');
const credentials = { accessKeyId: 'fairlead', secretAccessKey: 'not-a-secret-of-anything' };
const region = 'us-east-1';

export interface S3Server {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: typeof credentials;
  /** The folder of its objects as files: `<bucket>/<key>`. */
  readonly folder: string;
  createBucket(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** @returns the `go` command, undefined where there is none */
export function findGo(): string | undefined {
  return findProgram('go', loadConfig([]).binaries.searchPath);
}

export async function startS3Server(go: string): Promise<S3Server> {
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
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({
    endpoint,
    region,
    credentials: { ...credentials },
    forcePathStyle: true,
  });
  return {
    endpoint,
    region,
    credentials,
    folder: join(folder, 'objects'),
    async createBucket(name) {
      await client.send(new CreateBucketCommand({ Bucket: name }));
    },
    async stop() {
      client.destroy();
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
