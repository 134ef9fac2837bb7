import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createGaps } from '../../../../src/kube/informer/gaps.ts';

it('knows the versions that a watch has followed, and none between its end and the list after it', () => {
  const gaps = createGaps();
  expect(gaps.knows('5'), 'before the first list').toBe(false);
  gaps.add('', '10');
  gaps.add('20', '30');
  const known = ['9', '10', '15', '20', '21', '29', '30', '31'].filter((each) => gaps.knows(each));
  expect(known).toEqual(['10', '15', '20', '30', '31']);
});

it('forgets the oldest gaps together with what is before them', () => {
  const gaps = createGaps(1);
  gaps.add('', '10');
  gaps.add('20', '30');
  gaps.add('40', '50');
  expect(['10', '25', '30', '45', '50'].filter((each) => gaps.knows(each))).toEqual(['30', '50']);
});

type Step = 'create' | 'remove' | 'hear' | 'list';
type State = ReadonlySet<number>;

/** A replica that hears changes in order, or lists what is there; the index of a state is its version. */
function createReplica() {
  const gaps = createGaps();
  const states: State[] = [new Set()];
  const removals: { readonly id: number; readonly version: number }[] = [];
  let reached = 0;
  gaps.add('', '0');
  const stateAt = (version: number): State => states[version] ?? new Set();
  const latest = () => states.length - 1;
  function goTo(version: number): void {
    for (const id of stateAt(reached)) {
      if (!stateAt(version).has(id)) removals.push({ id, version });
    }
    reached = version;
  }
  const steps: Readonly<Record<Step, () => void>> = {
    create: () => states.push(new Set([...stateAt(latest()), states.length])),
    remove: () => states.push(new Set([...stateAt(latest())].slice(1))),
    hear() {
      while (reached < latest()) goTo(reached + 1);
    },
    list() {
      gaps.add(String(reached), String(latest()));
      goTo(latest());
    },
  };
  return {
    steps,
    latest,
    cached: () => stateAt(reached),
    /** @returns what a client with the state of a version ends with; undefined when it has to begin anew */
    continued(since: number): State | undefined {
      if (reached < since || !gaps.knows(String(since))) return undefined;
      const late = removals.filter(({ version }) => version > since);
      const gone = new Set(late.map(({ id }) => id));
      const left = [...stateAt(since)].filter((id) => !gone.has(id));
      return new Set([...left, ...stateAt(reached)]);
    },
  };
}

it('lets a client end with what a list shows, for any schedule of changes, watches and lists', () => {
  const step = fc.constantFrom<Step>('create', 'remove', 'hear', 'list');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.nat(), (schedule, chosen) => {
      const replica = createReplica();
      for (const each of schedule) replica.steps[each]();
      const client = replica.continued(chosen % (replica.latest() + 1));
      if (client === undefined) return;
      expect([...client].sort()).toEqual([...replica.cached()].sort());
    }),
    { numRuns: 1_000 },
  );
});
