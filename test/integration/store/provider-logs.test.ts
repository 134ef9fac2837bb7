// Logs of providers: a real API server, a node whose containers print on command.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Resource } from '../../../src/crds/resource.ts';
import { keyOf, objectNameOf } from '../../../src/domain/identity.ts';
import { typeSchemas } from '../../../src/domain/secrets/type-schemas.ts';
import { type Informer, keyFor } from '../../../src/kube/api.ts';
import { createInformer } from '../../../src/kube/informer/informer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { apiVersion, kinds, label } from '../../../src/store/kinds.ts';
import type { ProviderLogQuery } from '../../../src/store/providers/log-reading.ts';
import { createProviderLogs, type ProviderLogs } from '../../../src/store/providers/logs.ts';
import {
  type BuildLogFixture,
  buildLogFixture,
  reading,
} from '../../support/fixtures/code/build-log-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { startLogNode } from '../../support/tools/kubelet-logs.ts';

let fixture: BuildLogFixture;
let logs: ProviderLogs;
let resources: Informer<Resource>;

beforeAll(async () => {
  fixture = await buildLogFixture();
  const { client } = fixture;
  const schema = { properties: { password: { type: 'string', sensitive: true } } };
  const definitions = { schemasOf: () => typeSchemas({ schema }) };
  resources = createInformer<Resource>({
    client,
    kind: Resource,
    clock: systemClock,
    log: silentLog,
    random: Math.random,
  });
  await resources.start();
  logs = createProviderLogs({ client, pollMs: 100, resources, definitions });
});

afterAll(async () => {
  logs?.close();
  await resources?.stop();
  await fixture?.close();
});

const labels = (provider: string, version = '20260101.000000') => ({
  [label.managedBy]: 'fairlead',
  [label.provider]: provider,
  [label.version]: version,
});

const podOf = (provider: string, name: string, version?: string) =>
  fixture.node.providerPod(
    fixture.organization.namespace,
    `provider-${provider}-${name}`,
    labels(provider, version),
  );

/** Also collects the id of the last line. */
async function open(provider: string, changes: Partial<ProviderLogQuery> = {}) {
  const asked = { provider, tail: 1_000, follow: false, ...changes };
  const leaving = new AbortController();
  const log = await logs.open(fixture.organization, asked, leaving.signal);
  let lastId: string | undefined;
  async function* bytes() {
    for await (const piece of log.read(leaving.signal)) {
      const lines = String(Buffer.from(piece.bytes)).split('\n').length - 1;
      lastId = piece.idOf(lines - 1);
      yield piece.bytes;
    }
  }
  return {
    ...reading(bytes()),
    leave: () => leaving.abort(),
    lastId: () => lastId ?? '',
    extent: () => log.extent(),
  };
}

it('shows the last lines of all pods in the order of their times, and of one version alone', async () => {
  const one = await podOf('box', 'one');
  const two = await podOf('box', 'two', '20260102.000000');
  await podOf('bag', 'other').then(({ provider }) => provider.print('of another provider'));
  one.provider.print('first');
  const printedAt = Date.now();
  await eventually(() => expect(Date.now()).toBeGreaterThan(printedAt));
  two.provider.print('second', 'third');
  const all = 'provider-box-one first\nprovider-box-two second\nprovider-box-two third\n';
  expect(await (await open('box')).ended).toBe(all);
  expect(await (await open('box', { tail: 1 })).ended).toBe('provider-box-two third\n');
  expect(await (await open('box', { tail: 0 })).ended).toBe('');
  const old = await open('box', { version: '20260101.000000' });
  expect(await old.ended).toBe('provider-box-one first\n');
  const later = await open('box', { since: new Date(Date.now() + 60_000) });
  expect(await later.ended).toBe('');
  expect(await (await open('none')).ended).toBe('');
});

it('shows the lines of one resource or one event, which the SDK marks', async () => {
  const { provider } = await podOf('marked', 'one');
  const entry = (name: string, event: string) =>
    JSON.stringify({ message: 'made', event, resource: `marked/crate/${name}` });
  const [first, second, other] = [entry('a', 'evt-1'), entry('a', 'evt-2'), entry('b', 'evt-3')];
  provider.print('started', first, second, other, 'null', '{"resource":7}');
  const resource = keyOf({ provider: 'marked', resource: 'crate', name: 'a' });
  const lines = async (query: object) => await (await open('marked', query)).ended;
  const shown = (...all: readonly string[]) =>
    all.map((each) => `provider-marked-one ${each}\n`).join('');
  expect(await lines({ resource })).toBe(shown(first, second));
  expect(await lines({ event: 'evt-2', tail: 1 })).toBe(shown(second));
  expect(await lines({ resource, event: 'evt-3' })).toBe('');
});

it('hides secrets of the resource that a line names, of that one only, and nothing in its own fields', async () => {
  const { provider } = await podOf('hidden', 'one');
  const { namespace } = fixture.organization;
  const id = { provider: 'hidden', resource: 'crate', name: 'locked' };
  const name = objectNameOf(keyOf(id));
  const config = { password: 'hidden/crate/locked' };
  await fixture.client.create<Resource>(kinds.resource, {
    apiVersion,
    kind: kinds.resource.kind,
    metadata: { name, namespace },
    spec: { ...id, lifecycle: 'Committed', config },
  });
  await eventually(() => expect(resources.get(keyFor({ namespace, name }))).toBeDefined());
  const entry = (resource: string) => ({
    resource,
    message: 'with hidden/crate/locked',
    body: JSON.stringify(config),
    size: 4,
  });
  const [locked, other] = [entry('hidden/crate/locked'), entry('hidden/crate/other')];
  provider.print(JSON.stringify(locked), JSON.stringify(other), 'hidden/crate/locked');
  const lines = (text: string) =>
    text.replaceAll('provider-hidden-one ', '').split('\n').slice(0, 3);
  const whole = [JSON.stringify(locked), JSON.stringify(other), 'hidden/crate/locked'];
  const masked = { ...locked, message: 'with [masked]', body: '{"password":"[masked]"}' };
  const asViewer = { hidesSecrets: true };
  expect(lines(await (await open('hidden')).ended)).toEqual(whole);
  expect(lines(await (await open('hidden', asViewer)).ended)).toEqual([
    JSON.stringify(masked),
    ...whole.slice(1),
  ]);
  const reader = await open('hidden', { ...asViewer, follow: true, tail: 0 });
  await eventually(() => expect(fixture.node.streams.open).toBe(1));
  provider.print(JSON.stringify(locked));
  await eventually(() => expect(lines(reader.text())[0]).toBe(JSON.stringify(masked)));
  reader.leave();
  await reader.ended;
});

it('follows pods, also later ones, through broken streams, each line once', async () => {
  const first = await podOf('live', 'one');
  first.provider.print('before');
  const reader = await open('live', { follow: true });
  await eventually(() => expect(reader.text()).toBe('provider-live-one before\n'));
  await eventually(() => expect(fixture.node.streams.open).toBe(1));
  first.provider.print('now', 'twice', 'twice');
  await eventually(() => expect(reader.text()).toContain('one twice\nprovider-live-one twice\n'));
  first.provider.cut('broken');
  first.provider.print('after the break');
  const second = await podOf('live', 'two');
  second.provider.print('hello');
  await eventually(() => expect(reader.text()).toContain('provider-live-two hello\n'));
  await eventually(() => expect(reader.text()).toContain('after the break'));
  expect(reader.text().split('\n').length - 1).toBe(6);
  reader.leave();
  await reader.ended;
  await eventually(() => expect(fixture.node.streams.open).toBe(0));
});

it('continues after the line that a reader received last', async () => {
  const { provider } = await podOf('resumed', 'one');
  provider.print('one', 'two');
  const reader = await open('resumed', { follow: true });
  await eventually(() => expect(reader.text()).toContain('two'));
  reader.leave();
  await reader.ended;
  provider.print('three');
  const rest = await open('resumed', { after: reader.lastId(), tail: 1 });
  expect(await rest.ended).toBe('provider-resumed-one three\n');
  const again = await open('resumed', { after: 'nonsense' });
  expect((await again.ended).split('\n')).toHaveLength(4);
});

it('shows what the containers wrote before their last restart, after all else is gone', async () => {
  const crashed = await podOf('crashed', 'one');
  const entry = JSON.stringify({ message: 'made', resource: 'crashed/crate/a' });
  crashed.provider.print('started', entry, 'Error: Boom');
  const nothing = { code: 'no_previous_container' };
  await expect(open('crashed', { previous: true })).rejects.toMatchObject(nothing);
  await crashed.restart();
  crashed.provider.print('started again');
  await podOf('crashed', 'two', '20260102.000000').then(({ provider }) => provider.print('well'));
  const shown = (...lines: readonly string[]) =>
    lines.map((line) => `provider-crashed-one ${line}\n`).join('');
  const before = await open('crashed', { previous: true });
  expect(await before.ended).toBe(shown('started', entry, 'Error: Boom'));
  const resource = keyOf({ provider: 'crashed', resource: 'crate', name: 'a' });
  const ofResource = await open('crashed', { previous: true, resource });
  expect(await ofResource.ended).toBe(shown(entry));
  expect(ofResource.extent()).toMatchObject({ pods: 1, lines: 3 });
  const present = await open('crashed', { version: '20260101.000000' });
  expect(await present.ended).toBe(shown('started again'));
  const other = { previous: true, version: '20260102.000000' };
  await expect(open('crashed', other)).rejects.toMatchObject(nothing);
});

it('shows what a pod wrote before the last end of one of its processes, which restarts no container', async () => {
  const { provider } = await podOf('ending', 'one');
  const end = (count: number) =>
    JSON.stringify({ message: 'A process of the provider has ended', ended_process: count });
  const first = ['started', 'Error: Boom', end(1)];
  provider.print(...first, 'started again', '"ended_process": in words');
  const lines = (...texts: readonly string[]) =>
    texts.map((line) => `provider-ending-one ${line}\n`).join('');
  const before = await open('ending', { previous: true });
  expect(await before.ended).toBe(lines(...first));
  provider.print('Error: Bang', end(2), 'once more');
  const last = await open('ending', { previous: true, tail: 2 });
  expect(await last.ended).toBe(lines('Error: Bang', end(2)));
});

it('shows all that the container before the last restart wrote, also after the last end of a process in it', async () => {
  const { provider, restart } = await podOf('restarted', 'one');
  const end = JSON.stringify({ message: 'A process of the provider has ended', ended_process: 1 });
  const lines = ['started', end, 'started again', 'Error: Boom'];
  provider.print(...lines);
  await restart();
  const before = await open('restarted', { previous: true });
  const shown = lines.map((line) => `provider-restarted-one ${line}\n`).join('');
  expect(await before.ended).toBe(shown);
});

it('does not say that there is no earlier log while a node does not answer', async () => {
  const { client, organization } = fixture;
  const { kubeconfig } = sharedControlPlane();
  const node = await startLogNode(client, { kubeconfig, name: `${organization.namespace}-lost` });
  await node.providerPod(organization.namespace, 'provider-lost-one', labels('lost'));
  await node.close();
  const unread = { code: 'unavailable', retryAfter: 5 };
  await expect(open('lost', { previous: true })).rejects.toMatchObject(unread);
  expect(await (await open('lost')).ended).toBe('');
  const { provider } = await podOf('lost', 'two');
  const end = JSON.stringify({ message: 'A process of the provider has ended', ended_process: 1 });
  provider.print('Error: Boom', end);
  const before = await open('lost', { previous: true });
  expect(await before.ended).toBe(`provider-lost-two Error: Boom\nprovider-lost-two ${end}\n`);
});

it('stops reading an earlier log when nobody waits for it', async () => {
  await podOf('left', 'one');
  const asked = { provider: 'left', tail: 10, follow: false, previous: true };
  const opened = logs.open(fixture.organization, asked, AbortSignal.abort());
  await expect(opened).rejects.toMatchObject({ code: 'unavailable' });
});

it('tells what was read, when no line is of the resource', async () => {
  const resource = keyOf({ provider: 'silent', resource: 'crate', name: 'a' });
  const nowhere = await open('silent', { resource });
  expect(await nowhere.ended).toBe('');
  expect(nowhere.extent()).toEqual({ pods: 0, lines: 0, since: undefined });
  const { provider, restart } = await podOf('silent', 'one');
  await restart();
  const quiet = await open('silent', { resource });
  expect(await quiet.ended).toBe('');
  // No line has a time; the container has.
  expect(quiet.extent()).toEqual({ pods: 1, lines: 0, since: '2026-01-31T12:00:00Z' });
  const from = Date.now();
  provider.print('one', 'two');
  const others = await open('silent', { resource });
  expect(await others.ended).toBe('');
  const { lines, since } = others.extent();
  expect(lines).toBe(2);
  expect(Date.parse(since ?? '')).toBeGreaterThanOrEqual(from);
  expect(Date.parse(since ?? '')).toBeLessThanOrEqual(Date.now());
});
