// What a type declares about deliveries at a time, on a real API server, also for deliveries without a worker.
import { expect, it } from 'vitest';
import { definitionNameOf } from '../../../src/domain/identity.ts';
import { kinds } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { deadLetterFixture } from '../../support/fixtures/dead-letters/dead-letter-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

it.each([
  ['of a type', { concurrency: 2 }],
  ['of a type whose handlers run long', { concurrency: 2, timeoutSeconds: 600 }],
])(
  'no more events %s are under way than declared',
  async (_what, type) => {
    const limit = type.concurrency;
    let underWay = 0;
    let most = 0;
    let { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const fixture = await deadLetterFixture(real, {
      async before() {
        underWay += 1;
        most = Math.max(most, underWay);
        await mayEnd;
        underWay -= 1;
      },
    });
    const { namespace } = fixture;
    const definition = { namespace, name: definitionNameOf('box', 'crate') };
    await real.patch(kinds.definition, definition, { spec: type });
    await fixture.apply(names);
    fixture.run();
    await eventually(() => expect(underWay).toBe(limit));
    await eventually(async () => expect(await fixture.states()).toEqual({ processing: names }));
    expect(underWay).toBe(limit);
    // One that waits and is deleted leaves its place to others, also when its turn comes.
    const waiting = names.find((name) => !fixture.received.includes(name)) ?? '';
    await fixture.remove(waiting);
    end();
    ({ promise: mayEnd, resolve: end } = Promise.withResolvers<void>());
    end();
    await eventually(async () => {
      const ready = names.filter((name) => name !== waiting);
      expect(await fixture.states()).toEqual({ ready });
    });
    expect(most).toBe(limit);
  },
  60_000,
);
