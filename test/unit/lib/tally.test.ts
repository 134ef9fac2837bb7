import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTally } from '../../../src/lib/tally.ts';

const labels = ['draft', 'ready', 'failed'] as const;
type Label = (typeof labels)[number];

const change = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  group: fc.constantFrom('acme', 'globex'),
  label: fc.option(fc.constantFrom(...labels), { nil: undefined }),
});

it('equals the count of a plain list of members after any changes', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const tally = createTally<Label>();
      const model = new Map<string, { group: string; label: Label }>();
      for (const { key, group, label } of changes) {
        if (label === undefined) {
          model.delete(key);
          tally.delete(key);
        } else {
          model.set(key, { group, label });
          tally.set(key, group, label);
        }
        const members = [...model.values()];
        expect([...tally.groups()].sort()).toEqual(
          [...new Set(members.map((m) => m.group))].sort(),
        );
        for (const each of ['acme', 'globex']) {
          const ofGroup = members.filter((m) => m.group === each);
          expect(tally.total(each)).toBe(ofGroup.length);
          const counted = labels.map((one) => tally.count(each, one));
          expect(counted).toEqual(
            labels.map((one) => ofGroup.filter((m) => m.label === one).length),
          );
          expect(counted.reduce((sum, count) => sum + count, 0)).toBe(tally.total(each));
        }
      }
    }),
  );
});

it('changes the version of a group with that group only', () => {
  const tally = createTally<Label>();
  const versions: number[] = [];
  const step = (act: () => void) => {
    act();
    versions.push(tally.version('acme'));
  };
  step(() => tally.set('a', 'acme', 'draft'));
  step(() => tally.set('a', 'acme', 'draft'));
  step(() => tally.set('b', 'acme', 'ready'));
  step(() => tally.delete('b'));
  step(() => tally.delete('a'));
  step(() => tally.set('a', 'acme', 'draft'));
  expect(new Set(versions).size).toBe(versions.length);

  const before = tally.version('acme');
  tally.set('x', 'globex', 'draft');
  tally.delete('unknown');
  expect(tally.version('acme')).toBe(before);
});
