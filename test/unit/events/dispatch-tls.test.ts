// Against real TLS servers on loopback: one that cannot prove who it is gets no byte of an event.
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverNameOf } from '../../../src/domain/providers/serving-certificate.ts';
import {
  createDispatcher,
  type DispatchOptions,
  type ProviderEndpoint,
} from '../../../src/events/dispatch.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { testAuthority } from '../../support/fixtures/authority.ts';
import { answer, recordingProvider } from '../../support/fixtures/receipts.ts';
import { anEvent, newSigner } from '../../support/servers/signing-fairlead.ts';

const signer = await newSigner();
const own = await testAuthority();
const other = await testAuthority();
const namespace = 'fl-acme-0123456789ab';
const serverName = serverNameOf(namespace, 'shop');
const day = 24 * 60 * 60 * 1_000;
const wanted = { name: serverName, expiresAt: new Date(Date.now() + day) };
const forever = new AbortController().signal;

let stack: AsyncDisposableStack;
let trusted: readonly string[];

beforeEach(() => {
  stack = new AsyncDisposableStack();
  trusted = [own.certificate];
});
afterEach(() => stack.disposeAsync());

interface TlsServer {
  readonly url: string;
  /** Bytes after the handshake. */
  readonly received: () => number;
  /** The names that clients asked for. */
  readonly names: string[];
  readonly connections: () => number;
}

async function serving(options: TlsOptions, act: RequestListener = done): Promise<TlsServer> {
  const sockets = new Set<TLSSocket>();
  const names: string[] = [];
  let received = 0;
  const server = createServer(
    options,
    (req, res) => void req.resume().on('end', () => act(req, res)),
  );
  server.on('secureConnection', (socket: TLSSocket) => {
    sockets.add(socket);
    if (typeof socket.servername === 'string') names.push(socket.servername);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, received: () => received, names, connections: () => sockets.size };
}

const done: RequestListener = (_req, res) => answer(res, 200, { outputs: { url: 'x' } });

async function certified(by = own, changes: Partial<typeof wanted> = {}, now = new Date()) {
  const { certificate: cert, key } = await by.issue({ ...wanted, ...changes }, now);
  return { cert, key };
}

function newDispatcher(more: Partial<DispatchOptions> = {}) {
  const options = { signer, clock: systemClock, log: silentLog, timeoutMs: 5_000, loopback: true };
  const made = createDispatcher({ ...options, authorities: () => trusted, ...more });
  stack.defer(() => made.close());
  return made;
}

const send = (endpoint: ProviderEndpoint, by = newDispatcher()) =>
  by.dispatch(anEvent(), endpoint, forever);
const succeeded = { kind: 'succeeded', outputs: { url: 'x' } };

describe('a pod with a certificate for its provider', () => {
  it('may take longer by the time that does not count', async () => {
    const waits: RequestListener = (req, res) => {
      res.socket?.write('HTTP/1.1 102 Processing\r\nFairlead-Waited: 60000\r\n\r\n');
      setTimeout(() => done(req, res), 300);
    };
    const { url } = await serving(await certified(), waits);
    expect(await send({ url, serverName, limitMs: 200 })).toEqual(succeeded);
  });

  it('receives events, over connections that stay open', async () => {
    const pod = await serving(await certified());
    const dispatcher = newDispatcher();
    for (let round = 0; round < 8; round += 1) {
      expect(await send({ url: pod.url, serverName }, dispatcher)).toEqual(succeeded);
    }
    expect(new Set(pod.names)).toEqual(new Set([serverName]));
    expect(pod.names.length).toBeLessThan(4);
  });

  it('receives events at an IPv6 address', async () => {
    const pod = await serving(await certified());
    const { port } = new URL(pod.url);
    // A mapped address is an IPv6 address that every machine has.
    const url = `https://[::ffff:127.0.0.1]:${port}/`;
    expect(await send({ url, serverName })).toEqual(succeeded);
  });

  it('receives events while its authority is being replaced, and none afterwards', async () => {
    const pod = await serving(await certified(other));
    const dispatcher = newDispatcher();
    const deliver = () => send({ url: pod.url, serverName }, dispatcher);
    expect(await deliver()).toMatchObject({ code: 'CERTIFICATE_REFUSED' });
    trusted = [own.certificate, other.certificate];
    expect(await deliver()).toEqual(succeeded);
    trusted = [own.certificate];
    expect(await deliver(), 'The open connection is not used').toMatchObject({
      code: 'CERTIFICATE_REFUSED',
    });
  });
});

interface Impostor {
  readonly options: () => Promise<TlsOptions> | TlsOptions;
  readonly code: string;
  readonly message: RegExp;
}

const impostors: Record<string, Impostor> = {
  'the certificate of another organization': {
    options: () => certified(own, { name: serverNameOf('fl-globex-0123456789ab', 'shop') }),
    code: 'CERTIFICATE_REFUSED',
    message:
      /^The certificate of the provider at https:\/\/127\.0\.0\.1:\d+ is for another name \(DNS:shop\.fl-globex-0123456789ab\.fairlead\.internal\); expected one for shop\.fl-acme-0123456789ab\.fairlead\.internal$/,
  },
  'the certificate of another provider': {
    options: () => certified(own, { name: serverNameOf(namespace, 'shop-2') }),
    code: 'CERTIFICATE_REFUSED',
    message: /is for another name/,
  },
  'a certificate of another authority': {
    options: () => certified(other),
    code: 'CERTIFICATE_REFUSED',
    message: /is not signed by a trusted authority; expected one for shop\.fl-acme/,
  },
  'an expired certificate': {
    options: () =>
      certified(own, { expiresAt: new Date(Date.now() - day) }, new Date(Date.now() - 2 * day)),
    code: 'CERTIFICATE_REFUSED',
    message: /has expired/,
  },
  'TLS 1.2': {
    options: async () => ({ ...(await certified()), maxVersion: 'TLSv1.2' }),
    code: 'CONNECTION_LOST',
    message: /: it does not support TLS 1\.3$/,
  },
};

describe('whoever has the address of a pod', () => {
  it.each(Object.entries(impostors))(
    '[Q16] with %s receives no byte of an event',
    async (_name, { options, code, message }) => {
      const pod = await serving(await options());
      const failed = { kind: 'failed', terminal: false, unanswered: true, code };
      expect(await send({ url: pod.url, serverName })).toEqual({
        ...failed,
        message: expect.stringMatching(message),
      });
      expect(pod.received()).toBe(0);
    },
  );

  it('[Q16] without TLS receives nothing', async () => {
    const plain = await recordingProvider();
    stack.defer(() => plain.close());
    const url = plain.url.replace('http:', 'https:');
    expect(await send({ url, serverName })).toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringMatching(/: it does not use TLS$/),
    });
    expect(plain.receipts).toEqual([]);
  });

  it('[Q16] after the pod receives nothing over its connection', async () => {
    const pod = await serving(await certified());
    const dispatcher = newDispatcher();
    expect(await send({ url: pod.url, serverName }, dispatcher)).toEqual(succeeded);
    const before = pod.received();
    const otherName = serverNameOf('fl-globex-0123456789ab', 'shop');
    expect(await send({ url: pod.url, serverName: otherName }, dispatcher)).toMatchObject({
      code: 'CERTIFICATE_REFUSED',
    });
    expect(pod.received()).toBe(before);
  });
});

describe('a provider that runs elsewhere', () => {
  const local = { name: 'localhost' };
  const at = ({ url }: TlsServer) => url.replace('127.0.0.1', 'localhost');

  it('needs a public certificate', async () => {
    const server = await serving(await certified(own, local));
    expect(await send({ url: at(server) })).toMatchObject({ code: 'CERTIFICATE_REFUSED' });
    expect(server.received()).toBe(0);
  });

  it('may have one of its caBundle, for the host of its endpoint', async () => {
    const server = await serving(await certified(other, local));
    const dispatcher = newDispatcher();
    const caBundle = other.certificate;
    expect(await send({ url: at(server), caBundle }, dispatcher)).toEqual(succeeded);
    expect(await send({ url: at(server) }, dispatcher), 'Others need a public one').toMatchObject({
      code: 'CERTIFICATE_REFUSED',
    });
    const wrong = await serving(await certified(other));
    expect(await send({ url: at(wrong), caBundle }, dispatcher)).toMatchObject({
      message: expect.stringMatching(/is for another name .*; expected one for localhost$/),
    });
    expect(wrong.received()).toBe(0);
  });

  it('[Q16] receives nothing while its name resolves to a forbidden address', async () => {
    const host = 'notes.example.org';
    // Each delivery makes a connection, and thus resolves the name.
    const closes: RequestListener = (req, res) => done(req, res.setHeader('connection', 'close'));
    const server = await serving(await certified(own, { name: host }), closes);
    let addresses = ['127.0.0.1'];
    const dispatcher = newDispatcher({
      clusterCidrs: ['10.96.0.0/12'],
      resolve: (_host, _options, callback) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
    });
    const url = server.url.replace('127.0.0.1', host);
    const deliver = () => send({ url, caBundle: own.certificate }, dispatcher);
    expect(await deliver()).toEqual(succeeded);
    const before = server.received();
    for (const forbidden of ['169.254.169.254', '::ffff:10.96.0.1', '64:ff9b::a60:1', '0.0.0.0']) {
      for (addresses of [[forbidden], ['127.0.0.1', forbidden]]) {
        expect(await deliver(), String(addresses)).toMatchObject({
          code: 'FORBIDDEN_ADDRESS',
          message: `The provider at ${new URL(url).origin} was not called, because its address receives no events; change the endpoint, or correct the name in DNS`,
        });
      }
    }
    expect(server.received()).toBe(before);
    addresses = ['127.0.0.1'];
    expect(await deliver(), 'allowed again').toEqual(succeeded);
  });
});
