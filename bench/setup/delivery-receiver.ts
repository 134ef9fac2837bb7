// A provider in a process of its own, whose CPU time is not that of the sender: it answers each event at once, with and without
// TLS. Started by deliveries.ts with a certificate on standard input; prints its ports.
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const { certificate: cert, key } = (await json(process.stdin)) as Record<string, string>;
const answer: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"outputs":{"ok":true}}');
};
const servers = [createServer(answer), createSecureServer({ cert, key }, answer)];
const ports = servers.map(
  (server) =>
    new Promise<number>((ready) => {
      server.listen(0, '127.0.0.1', () => ready((server.address() as AddressInfo).port));
    }),
);
console.log(JSON.stringify(await Promise.all(ports)));
