import { describe, expect, it } from 'vitest';
import {
  layoutOf,
  type Node,
  nodeSize,
} from '../../../src/console/pages/resources/graph-layout.ts';

function layersOf(nodes: readonly Node[]): string {
  const rows = Map.groupBy(layoutOf(nodes).nodes, ({ y }) => y);
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([, row]) => row.map(({ id }) => id).join(' '))
    .join(' | ');
}

const node = (id: string, ...uses: string[]): Node => ({ id, uses });

describe('the graph of resources', () => {
  it.each<[string, readonly Node[], string]>([
    ['nothing', [], ''],
    [
      'what is below all that it uses',
      [node('a', 'b', 'c'), node('b', 'c'), node('c')],
      'c | b | a',
    ],
    ['what uses nothing side by side', [node('a'), node('b')], 'a b'],
    ['what is not shown as if it were not used', [node('a', 'gone')], 'a'],
    ['a cycle once', [node('a', 'b'), node('b', 'a')], 'b | a'],
    ['what uses itself', [node('a', 'a')], 'a'],
    [
      'neighbours below each other',
      [node('x'), node('y'), node('p', 'y'), node('q', 'x')],
      'x y | q p',
    ],
  ])('places %s', (_, nodes, expected) => {
    expect(layersOf(nodes)).toBe(expected);
  });

  it('has a size without nodes, and one that they fit into', () => {
    expect(layoutOf([])).toMatchObject({ width: 24, height: 24 });
    const { nodes, width, height } = layoutOf([node('a', 'b', 'c'), node('b'), node('c')]);
    for (const { x, y } of nodes) {
      expect(x + nodeSize.width).toBeLessThan(width);
      expect(y + nodeSize.height).toBeLessThan(height);
    }
  });

  it('places a chain that is longer than the stack is deep', () => {
    const nodes = Array.from({ length: 20_000 }, (_, at) => node(`n${at}`, `n${at + 1}`));
    expect(new Set(layoutOf(nodes).nodes.map(({ y }) => y)).size).toBe(20_000);
  });

  it('draws an edge for each use of another node', () => {
    const { edges } = layoutOf([node('a', 'b', 'a', 'gone'), node('b')]);
    expect(edges.map(({ from, to }) => `${from.id} ${to.id}`)).toEqual(['b a']);
  });
});
