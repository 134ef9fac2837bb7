// Logs of builds: a real API server that passes on the streams of a node whose containers print and end on command.
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BuildRecord } from '../../../src/store/builds/store.ts';
import {
  type BuildLogFixture,
  buildLogFixture,
  reading,
} from '../../support/fixtures/code/build-log-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { openFilesUnder } from '../../support/runner/open-files.ts';
import type { PodUnderTest } from '../../support/tools/kubelet-logs.ts';

let fixture: BuildLogFixture;

beforeAll(async () => {
  fixture = await buildLogFixture();
});
afterAll(() => fixture?.close());

function open(build: BuildRecord, signal = new AbortController().signal) {
  return reading(fixture.logs.open(fixture.organization, build, signal));
}

function iterate(build: BuildRecord): AsyncIterator<Uint8Array> {
  const { signal } = new AbortController();
  return fixture.logs.open(fixture.organization, build, signal)[Symbol.asyncIterator]();
}

async function finish({ containers }: PodUnderTest): Promise<void> {
  for (const each of Object.values(containers)) {
    await each.start();
    await each.exit();
  }
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}`);
const asText = (lines: readonly string[]) => lines.map((each) => `${each}\n`).join('');

describe('the log of a running build', () => {
  it('is read live, by container, from before the pod exists until it ends', async () => {
    const build = await fixture.build();
    const reader = open(build);
    const pod = await fixture.pod(build);
    const { unpack, build: main, publish } = pod.containers;
    let want = '';
    for (const [name, container] of Object.entries({ unpack, main, publish })) {
      await container.start();
      container.print(`${name} begins`);
      want += `${name} begins\n`;
      await eventually(() => expect(reader.text()).toBe(want));
      container.print('one', '', 'two  ');
      container.printUnended('last words');
      await container.exit();
      want += 'one\n\ntwo  \nlast words\n';
    }
    expect(await reader.ended).toBe(want);
  });

  it('is complete for a late reader, over the one open stream', async () => {
    const build = await fixture.build();
    const { containers } = await fixture.pod(build);
    await containers.unpack.start();
    const before = fixture.node.streams.opened;
    const first = open(build);
    containers.unpack.print(...numbered(0, 5));
    await eventually(() => expect(first.text()).toContain('line 4'));
    const second = open(build);
    await eventually(() => expect(second.text()).toBe(first.text()));
    containers.unpack.print('for both');
    await eventually(() => expect(second.text()).toContain('for both'));
    await eventually(() => expect(first.text()).toContain('for both'));
    expect(fixture.node.streams.opened - before).toBe(1);
    await finish({ containers } as PodUnderTest);
    expect(await second.ended).toBe(await first.ended);
  });

  it('is closed when its last reader leaves, not before', async () => {
    const build = await fixture.build();
    const { containers } = await fixture.pod(build);
    await containers.unpack.start();
    containers.unpack.print('hello');
    const leaving = [new AbortController(), new AbortController()] as const;
    const readers = leaving.map(({ signal }) => open(build, signal));
    for (const { text } of readers) await eventually(() => expect(text()).toBe('hello\n'));
    const { streams } = fixture.node;
    expect(streams.open).toBe(1);
    leaving[0].abort();
    expect(await readers[0]?.ended).toBe('hello\n');
    containers.unpack.print('still here');
    await eventually(() => expect(readers[1]?.text()).toContain('still here'));
    leaving[1].abort();
    await eventually(() => expect(streams.open).toBe(0));
  });

  it.each(['ended', 'broken'] as const)(
    'continues without loss or repetition after its stream was %s',
    async (how) => {
      const build = await fixture.build();
      const { containers } = await fixture.pod(build);
      await containers.unpack.start();
      const reader = open(build);
      const all: string[] = [];
      for (let round = 0; round < 4; round += 1) {
        // Lines of one time, some before the cut and some, not yet sent, after it.
        const lines = numbered(round * 20, round * 20 + 20);
        containers.unpack.print(...lines.slice(0, 10));
        all.push(...lines);
        await eventually(() => expect(reader.text()).toContain(`${lines[9]}\n`));
        const { opened } = fixture.node.streams;
        containers.unpack.cut(how);
        containers.unpack.print(...lines.slice(10));
        await eventually(() => expect(fixture.node.streams.opened).toBeGreaterThan(opened));
      }
      await finish({ containers } as PodUnderTest);
      expect(await reader.ended).toBe(asText(all));
    },
  );
});

describe('a long log', () => {
  const lines = numbered(0, 250_000).map((each) => each.padEnd(12, '.'));

  it('is shown and stored as head and tail, with a line about the omitted part', async () => {
    const build = await fixture.build();
    const pod = await fixture.pod(build);
    for (const each of lines) pod.containers.build.print(each);
    await finish(pod);
    const { namespace } = fixture.organization;
    const kept = await fixture.logs.capture(namespace, build.jobName, AbortSignal.timeout(30_000));
    const whole = asText(lines);
    const parts = /^([^[]+)\[\.\.\. (\d+) bytes of the log are omitted here \.\.\.\]\n([^[]+)$/;
    // One client reads and stops, so the stream is shared with clients that connect after all output.
    const stopped = iterate(build);
    await stopped.next();
    const late = await eventually(async () => {
      const text = await open(build).ended;
      expect(parts.test(text)).toBe(true);
      return text;
    });
    await stopped.return?.();
    for (const text of [kept.toString(), late]) {
      const [, head = '', missing, tail = ''] = parts.exec(text) ?? [];
      expect(head.length + Number(missing) + tail.length).toBe(whole.length);
      expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
      expect(text.length).toBeLessThanOrEqual(1_048_576);
      expect(text.length).toBeGreaterThan(1_000_000);
    }
  });
});

describe('a build whose pod is gone', () => {
  it('is read from the stored log', async () => {
    const build = await fixture.build();
    const pod = await fixture.pod(build);
    pod.containers.unpack.print('kept');
    await finish(pod);
    const { namespace } = fixture.organization;
    const log = await fixture.logs.capture(namespace, build.jobName, AbortSignal.timeout(30_000));
    await pod.delete();
    const after = await fixture.report(build, { phase: 'failed', log: await keep(log) });
    expect(await open(after).ended).toBe('kept\n');
    // Also for who asked when it was not kept yet.
    expect(await open(build).ended).toBe('kept\n');
  });

  it('continues from the stored log for readers that were connected', async () => {
    const build = await fixture.build();
    const pod = await fixture.pod(build);
    await pod.containers.unpack.start();
    pod.containers.unpack.print('seen');
    const reader = open(build);
    await eventually(() => expect(reader.text()).toBe('seen\n'));
    await pod.delete();
    pod.containers.unpack.cut('ended');
    await fixture.report(build, { phase: 'failed', log: await keep(Buffer.from('seen\nrest\n')) });
    expect(await reader.ended).toBe('seen\nrest\n');
  });

  it('is not opened for readers beyond the end of the stored log', async () => {
    const build = await fixture.build();
    const pod = await fixture.pod(build);
    await pod.containers.unpack.start();
    const lines = numbered(0, 60_000).map((each) => each.padEnd(12, '.'));
    for (const each of lines) pod.containers.unpack.print(each);
    const reader = open(build);
    await eventually(() => expect(reader.text()).toContain(lines.at(-1)));
    await pod.delete();
    pod.containers.unpack.cut('ended');
    const log = await keep(Buffer.from(asText(lines)));
    await fixture.report(build, { phase: 'failed', log });
    expect(await reader.ended).toMatch(/\n\[.*rest.*\]\n$/);
    expect(await openFilesUnder(fixture.folder)).toEqual([]);
  });

  it('is one line when nothing was stored', async () => {
    const build = await fixture.build();
    const reader = open(build);
    const after = await fixture.report(build, { phase: 'failed', error: 'it was cancelled' });
    const want = '[The build has ended, and its log was not archived.]\n';
    expect([await reader.ended, await open(after).ended]).toEqual([want, want]);
    const none = fixture.logs.capture(
      fixture.organization.namespace,
      build.jobName,
      AbortSignal.timeout(5_000),
    );
    expect((await none).length).toBe(0);
  });
});

it('is not waited for when the container never starts and the build has ended', async () => {
  const build = await fixture.build();
  await fixture.pod(build);
  const reader = open(build);
  await fixture.report(build, { phase: 'failed', error: 'the image cannot be pulled' });
  expect(await reader.ended).toBe('');
});

async function keep(log: Buffer): Promise<string> {
  const staged = await fixture.artifacts.put(Readable.from([log]), { maxBytes: 2_000_000 });
  return (await staged.commit()).digest;
}
