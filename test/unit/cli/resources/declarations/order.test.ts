import { expect, it } from 'vitest';
import { inOrder } from '../../../../../src/cli/resources/declarations/order.ts';

interface Item {
  readonly ref: string;
  readonly uses: readonly string[];
}

const item = (name: string, ...uses: readonly string[]): Item => ({
  ref: `a/b/${name}`,
  uses: uses.map((each) => `a/b/${each}`),
});
const read = ({ ref, uses }: Item) => ({
  ref,
  config: Object.fromEntries(uses.map((each) => [each, `\${${each}.outputs.x}`])),
});
const namesOf = (items: readonly Item[]) => inOrder(items, read).map(({ ref }) => ref.slice(-1));

it('sends what others use first, otherwise in the order of the files', () => {
  expect(namesOf([item('c', 'b'), item('b', 'a'), item('d'), item('a', 'z')])).toEqual([
    'd',
    'a',
    'b',
    'c',
  ]);
});

it('counts declared dependencies', () => {
  const dependencies = [{ provider: 'a', resource: 'b', name: 'y', id: 'of no matter' }];
  const ordered = inOrder(['x', 'y'], (name) => ({
    ref: `a/b/${name}`,
    config: {},
    ...(name === 'x' ? { dependencies } : {}),
  }));
  expect(ordered.map(({ item: name }) => name)).toEqual(['y', 'x']);
});

it('refuses a cycle and names it', () => {
  expect(() => namesOf([item('a', 'b'), item('b', 'c'), item('c', 'b')])).toThrow(
    'in a cycle: a/b/b → a/b/c → a/b/b',
  );
});
