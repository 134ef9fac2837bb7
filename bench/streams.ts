// Measures what an idle watch over HTTP costs: memory of the service per stream.

import { execFileSync } from 'node:child_process';
import { type ClientRequest, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Fairlead } from '../test/support/servers/fairlead.ts';

/** As many as an organization may open at a replica. */
const perOrganization = 20;
const organizations = 25;

/** @returns KiB of memory per stream */
export async function measureStreams(): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const fairlead = await Fairlead.start();
  stack.defer(() => fairlead.destroy());
  const tokens: string[] = [];
  for (let at = 0; at < organizations; at += 1) {
    const { token, get } = await fairlead.caller(`streams-${at}`);
    tokens.push(token);
    // Each organization has its first stream already: its caches are not what is measured.
    await get('/resources/');
  }
  const open: ClientRequest[] = [];
  stack.defer(() => {
    for (const each of open) each.destroy();
  });
  for (const token of tokens) open.push(await watch(fairlead.url, token));
  const before = await residentKiB(fairlead);
  for (const token of tokens) {
    for (let at = 1; at < perOrganization; at += 1) open.push(await watch(fairlead.url, token));
  }
  const after = await residentKiB(fairlead);
  return (after - before) / (organizations * (perOrganization - 1));
}

/** Resolves with the first bytes. */
function watch(url: string, token: string): Promise<ClientRequest> {
  return new Promise((done, failed) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const sent = request(`${url}/resources/`, { headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200)
        failed(new Error(`the watch is answered ${answer.statusCode}`));
      answer.once('data', () => done(sent));
      answer.on('error', () => undefined);
    });
    sent.on('error', failed);
    sent.end();
  });
}

/** Memory of the process that listens, after a while in which garbage is collected. */
async function residentKiB({ url }: Fairlead): Promise<number> {
  await pause(5_000);
  const { port } = new URL(url);
  const text = execFileSync('ss', ['-ltnpH', `sport = :${port}`], { encoding: 'utf8' });
  const [, pid = ''] = /pid=(\d+)/.exec(text) ?? [];
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', pid], { encoding: 'utf8' }));
}
