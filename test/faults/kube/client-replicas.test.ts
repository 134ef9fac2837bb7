// The client behind a proxy that switches between two replicas and cuts connections: what it shows in the end is what a list shows.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ResourceRecord } from '../../../src/api/shapes.ts';
import { newHome, spawnClient } from '../../support/clients/client.ts';
import { type SwitchingProxy, startSwitchingProxy } from '../../support/faults/switching-proxy.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const organization = `switching-${randomUUID().slice(0, 8)}`;
const home = newHome();
let replicas: readonly [ServedApi, ServedApi];
let writers: readonly [ApiCaller, ApiCaller];
let proxy: SwitchingProxy;
let variables: Readonly<Record<string, string>>;

beforeAll(async () => {
  const first = await serveApi();
  const shared = { issuer: first.issuer, systemNamespace: first.systemNamespace };
  replicas = [first, await serveApi(shared)];
  writers = [await first.caller(organization), await replicas[1].caller(organization)];
  await writers[0].post('/resources/register', { provider: 'box', resource: 'crate' });
  proxy = await startSwitchingProxy(replicas.map(({ port }) => port));
  const token = await first.issuer.token({ org_id: organization });
  variables = { FAIRLEAD_URL: proxy.url, FAIRLEAD_TOKEN: token };
});

afterAll(async () => {
  proxy?.close();
  await replicas?.[1].close();
  await replicas?.[0].close();
});

async function apply(name: string, config: object): Promise<void> {
  const body = { provider: 'box', resource: 'crate', name, config };
  const [writer] = writers;
  expect((await writer.post('/resources/apply', body)).status).toBe(200);
}

/** Cuts the streams, and waits until the client has opened another one. */
async function switchReplica(): Promise<void> {
  const count = () => [...proxy.opened.values()].reduce((sum, each) => sum + each, 0);
  const before = count();
  proxy.cut();
  await eventually(() => expect(count()).toBeGreaterThan(before));
}

interface Gone {
  readonly id: string;
  readonly deleted: true;
}

it('follows every change with get -w', async () => {
  const { child, result } = await spawnClient(['get', '-w', '-o', 'ndjson'], { variables, home });
  let text = '';
  child.stdout?.on('data', (part: Buffer) => {
    text += part.toString();
  });
  const seen = () => {
    const records = new Map<string, ResourceRecord>();
    for (const line of text.split('\n').slice(0, -1)) {
      const change = JSON.parse(line) as ResourceRecord | Gone;
      if ('deleted' in change) records.delete(change.id);
      else records.set(change.id, change);
    }
    return records;
  };
  for (let round = 0; round < 4; round += 1) {
    await Promise.all([apply(`a${round}`, { round }), apply('same', { round })]);
    if (round > 0) await writers[1].delete(`/resources/box/crate/a${round - 1}`);
    await switchReplica();
    // Changes that happen while the client connects again.
    await apply(`b${round}`, { round });
  }
  await eventually(async () => {
    const listed = (await writers[1].get('/resources/')).body as readonly ResourceRecord[];
    expect(Object.fromEntries(seen())).toEqual(
      Object.fromEntries(listed.map((record) => [record.id, record])),
    );
  });
  expect([...proxy.opened.values()].every((count) => count > 0)).toBe(true);
  child.kill('SIGINT');
  expect(await result).toMatchObject({ code: 130 });
});

it('ends a wait for a deletion that happens while it connects again', async () => {
  await apply('leaving', {});
  const argv = ['wait', 'box/crate/leaving', '--for', 'deleted', '--timeout', '60s'];
  const { child, result } = await spawnClient(argv, { variables, home });
  let talk = '';
  child.stderr?.on('data', (part: Buffer) => {
    talk += part.toString();
  });
  await eventually(() => expect(talk).toContain('box/crate/leaving'));
  proxy.cut();
  expect((await writers[0].delete('/resources/box/crate/leaving')).status).toBe(204);
  expect(await result).toMatchObject({ code: 0 });
});
