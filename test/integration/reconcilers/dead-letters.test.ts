// Dead letters are marked when their resources change, and the oldest superseded ones are pruned, on a real API server.
import { describe, expect, it } from 'vitest';
import { configMapKind, label } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import {
  type DeadLetterFixture,
  deadLetterFixture,
  type Running,
} from '../../support/fixtures/dead-letters/dead-letter-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();

/** Names of resources by what their letters are labelled as. */
async function labels(fixture: DeadLetterFixture) {
  const deadLetters = await fixture.deadLetters();
  const named = (marked: boolean) =>
    deadLetters
      .filter((deadLetter) => deadLetter.marked === marked)
      .map(({ resourceName }) => resourceName)
      .sort();
  return { superseded: named(true), live: named(false) };
}

/** Runs controllers until these resources have failed; they keep running. */
async function failing(fixture: DeadLetterFixture, names: readonly string[]): Promise<Running> {
  fixture.broken.set('box', 'it is broken');
  await fixture.apply(names);
  const running = fixture.run();
  await eventually(async () =>
    expect((await fixture.states())['failed']).toHaveLength(names.length),
  );
  return running;
}

const names = Array.from({ length: 9 }, (_, index) => `box-${index}`);

describe('the labels of a dead letter', () => {
  it('mark letters of reapplied or deleted resources only', async () => {
    const fixture = await deadLetterFixture(real);
    await failing(fixture, ['box-0', 'box-1', 'box-2']);
    fixture.broken.clear();
    await fixture.change('box-0', { other: true });
    await fixture.remove('box-1');
    await eventually(async () =>
      expect(await labels(fixture)).toEqual({ superseded: ['box-0', 'box-1'], live: ['box-2'] }),
    );
  });

  it('are corrected after a foreign change', async () => {
    const fixture = await deadLetterFixture(real);
    await failing(fixture, ['box-0']);
    const [deadLetter] = await fixture.deadLetters();
    const ref = { namespace: fixture.namespace, name: deadLetter?.eventId ?? '' };
    const foreign = { [label.superseded]: 'true', [label.cause]: 'ffffffffffff' };
    const written = await real.patch(configMapKind, ref, { metadata: { labels: foreign } });
    await eventually(async () => {
      const { metadata } = await real.get(configMapKind, ref);
      expect(metadata.resourceVersion).not.toBe(written.metadata.resourceVersion);
      expect(metadata.labels).not.toHaveProperty([label.superseded]);
      expect(metadata.labels).toHaveProperty([label.cause], deadLetter?.cause);
    });
  });

  it('are written once, and never on a live letter', async () => {
    const fixture = await deadLetterFixture(real);
    const { dying } = await failing(fixture, ['box-0', 'box-1']);
    const onDeadLetters = () => dying.writes.filter((write) => write === 'patch ConfigMap').length;
    expect(onDeadLetters()).toBe(0);
    fixture.broken.clear();
    await fixture.change('box-0', { other: true });
    await eventually(async () => expect((await labels(fixture)).superseded).toEqual(['box-0']));
    await eventually(async () => expect((await fixture.states())['ready']).toEqual(['box-0']));
    await fixture.change('box-0', { other: false });
    await eventually(async () => expect((await fixture.states())['ready']).toEqual(['box-0']));
    await eventually(() =>
      expect(fixture.received.filter((name) => name === 'box-0')).toHaveLength(3),
    );
    expect(onDeadLetters()).toBe(1);
  });
});

describe('superseded letters beyond the limit', () => {
  it('are removed, oldest first; live ones are kept', async () => {
    const fixture = await deadLetterFixture(real, { supersededKept: 5 });
    // One after the other, so that their order in time is known.
    fixture.broken.set('box', 'it is broken');
    fixture.run();
    for (const [index, name] of names.entries()) {
      await fixture.apply([name]);
      await eventually(async () =>
        expect((await fixture.states())['failed']).toHaveLength(index + 1),
      );
    }
    fixture.broken.clear();
    for (const name of names.slice(1)) await fixture.change(name, { other: true });
    await eventually(async () =>
      expect(await labels(fixture)).toEqual({ superseded: names.slice(4), live: ['box-0'] }),
    );
  });

  it('are removed after a restart with a lower limit', async () => {
    const options = { supersededKept: 100 };
    const fixture = await deadLetterFixture(real, options);
    const running = await failing(fixture, names);
    fixture.broken.clear();
    for (const name of names) await fixture.remove(name);
    await eventually(async () => expect((await labels(fixture)).superseded).toHaveLength(9));
    await running.stop();
    options.supersededKept = 0;
    fixture.run();
    await eventually(async () => expect(await fixture.deadLetters()).toEqual([]));
  });
});
