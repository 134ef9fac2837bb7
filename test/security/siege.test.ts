// Many connections that mean no good, at once, against the interface in a process of its own. Bytes are counted here, not times:
// what they hold is bounded, and the listener for probes answers all the while.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../support/runner/eventually.ts';
import type { LoadedApi } from '../support/servers/api-under-load.ts';

const mebibyte = 1_048_576;
const unreadMs = 2_000;

let child: ChildProcess;
let state: LoadedApi;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  const program = join(import.meta.dirname, '../support/servers/api-under-load.ts');
  child = fork(program, [String(unreadMs)]);
  child.on('message', (message) => {
    state = message as LoadedApi;
  });
  await once(child, 'message');
  // Its first answer loads and compiles what all others use.
  await bundle();
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  const ended = once(child, 'exit');
  child.kill();
  await ended;
});

async function open(): Promise<Socket> {
  const socket = connect(state.port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** A large answer of the interface, on a connection of its own. @returns its length */
async function bundle(): Promise<number> {
  const address = { host: '127.0.0.1', port: state.port, path: '/docs/swagger-ui-bundle.js' };
  const [answer] = (await once(get({ ...address, agent: false }), 'response')) as [Readable];
  return (await buffer(answer)).length;
}

/** Sends health requests one after the other until stopped. @returns their number. @throws when an answer is missing */
function probing() {
  let answers = 0;
  let over = false;
  const running = (async () => {
    while (!over) {
      const answer = await fetch(`http://127.0.0.1:${state.probePort}/livez`);
      if (answer.status !== 200) throw new Error(`/livez answered ${answer.status}`);
      await answer.arrayBuffer();
      answers += 1;
    }
  })();
  // It is awaited in the end, unless the test fails before.
  running.catch(() => undefined);
  return async () => {
    over = true;
    await running;
    return answers;
  };
}

it('[H09] uses little memory for a hundred open bodies in one-byte chunks, and stays alive', async () => {
  const before = state.rss;
  const probed = probing();
  const head = [
    'POST /resources/apply HTTP/1.1',
    ...['Host: x', 'Authorization: Bearer x', 'Content-Type: application/json'],
    ...['Transfer-Encoding: chunked', '', ''],
  ].join('\r\n');
  const answers = Array.from({ length: 100 }, async () => {
    const socket = await open();
    const answer = once(socket, 'data');
    socket.write(head);
    socket.write('1\r\nx\r\n'.repeat(10_000));
    const [data] = (await answer) as [Buffer];
    return String(data).split('\r\n', 1)[0];
  });
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 413 Payload Too Large']));
  expect(await probed()).toBeGreaterThan(0);
  expect(state.peak - before).toBeLessThan(96 * mebibyte);
});

it('[H09] closes five hundred connections that never read, and stays alive', async () => {
  const before = state.rss;
  const probed = probing();
  const asked = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10);
  for (let count = 0; count < 500; count += 1) {
    const socket = await open();
    socket.pause();
    socket.write(asked);
  }
  await eventually(() => expect(state.open).toBe(0), 60_000);
  expect(await probed()).toBeGreaterThan(0);
  expect(state.peak - before).toBeLessThan(192 * mebibyte);
  // Clients that read are served as usual.
  expect(await bundle()).toBeGreaterThan(mebibyte);
});
