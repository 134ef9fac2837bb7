// A provider in a process of its own, which answers what costs Fairlead most. Started by neighbours.ts; prints its URL.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { freezes, success } from './freezes.ts';

/** Made once: the answers shall cost this process little. */
const answers = new Map(
  Object.values(freezes).flatMap((freeze) =>
    Object.entries(freeze.answers ?? {}).map(([asked, make]) => [asked, JSON.stringify(make())]),
  ),
);

const server = createServer((request, response) => {
  void (async () => {
    const { event_type: type, resource } = (await json(request)) as Record<string, string>;
    const answer = answers.get(`${type} ${resource}`) ?? JSON.stringify(success);
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  })().catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
