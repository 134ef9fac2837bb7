// The base image: pinned in the Dockerfile, and brought up to date by a registry, here one on the loopback.
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { baseOf, withCurrentBase } from '../../../packaging/base-image.ts';

const root = join(import.meta.dirname, '../../..');
const today = `sha256:${'a'.repeat(64)}`;
const list = 'application/vnd.oci.image.index.v1+json';
const dockerfile = (digest: string) => {
  const base = `ARG BASE_IMAGE=registry.test/library/node:24@${digest}`;
  return `${base}\nFROM \${BASE_IMAGE} AS build\nFROM \${BASE_IMAGE}\n${base}\n`;
};

let server: Server;
let address: string;
let kind = list;

beforeAll(async () => {
  server = createServer((req, res) => {
    if (req.url?.startsWith('/token?') === true) {
      const asked = new URL(req.url, address).searchParams;
      res.end(JSON.stringify({ token: `${asked.get('service')} ${asked.get('scope')}` }));
    } else if (req.headers.authorization !== 'Bearer reg pull:node') {
      const challenge = `Bearer realm="${address}/token",service="reg",scope="pull:node"`;
      res.writeHead(401, { 'www-authenticate': challenge }).end();
    } else if (req.url === '/v2/library/node/manifests/24') {
      res.writeHead(200, { 'docker-content-digest': today, 'content-type': kind }).end();
    } else res.writeHead(404).end();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('is pinned by one digest in the Dockerfile', async () => {
  expect(baseOf(await readFile(join(root, 'Dockerfile'), 'utf8'))).toMatch(/@sha256:/);
});

it.each(['FROM node', 'ARG BASE_IMAGE=node:24', 'ARG BASE_IMAGE=docker.io/library/node:24'])(
  'rejects %s',
  (text) => {
    expect(() => baseOf(text)).toThrow(/registry\/name:tag@sha256/);
  },
);

it('gets the current digest of its tag, in every place', async () => {
  kind = list;
  const updated = await withCurrentBase(dockerfile(`sha256:${'0'.repeat(64)}`), () => address);
  expect(updated).toBe(dockerfile(today));
});

it('stays when the registry returns the image of one architecture', async () => {
  kind = 'application/vnd.oci.image.manifest.v1+json';
  const asked = withCurrentBase(dockerfile(today), () => address);
  await expect(asked).rejects.toThrow(/without the digest of an image index/);
});
