// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
import { describe, expect, it } from 'vitest';
import type { Layout } from '../../../../../src/console/pages/resources/graph/group.ts';
import { size } from '../../../../../src/console/pages/resources/graph/group.ts';
import type { Node } from '../../../../../src/console/pages/resources/graph/layers.ts';
import { layoutOf } from '../../../../../src/console/pages/resources/graph/layout.ts';
import { nodesOf } from '../../../../../src/console/pages/resources/graph/nodes.ts';

const node = (id: string, ...uses: string[]): Node => ({ id, uses });
const named = (name: string, count: number, ...uses: string[]) =>
  Array.from({ length: count }, (_, at) => node(`${name}${at}`, ...uses));

/** As wide as three boxes and the lines between them. */
const width = 740;

/** Rows of names, from top to bottom and from left to right. */
function rowsOf(nodes: readonly Node[], within = width): string {
  const rows = Map.groupBy(layoutOf(nodes, within).nodes, ({ y }) => y);
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([, row]) =>
      row
        .toSorted((a, b) => a.x - b.x)
        .map(({ id }) => id)
        .join(' '),
    )
    .join(' | ');
}

const diamond = [node('a', 'b', 'c', 'd'), node('b', 'd'), node('c', 'd'), node('d')];
/** Edges over several rows, and more users than fit beside each other. */
const hub = [node('hub'), ...named('user', 40, 'hub'), node('last', 'user0', 'user39', 'hub')];
const cycle = [node('a', 'b'), node('b', 'c'), node('c', 'a'), node('d', 'a')];

const tuple = (name: string) => ({ provider: 'pg', resource: 'role', name });
const resource = (name: string, config = {}, dependencies: string[] = [], project_id = 'p') => ({
  ...{ ...tuple(name), config, project_id },
  dependencies: dependencies.map(tuple),
});

describe('the graph of resources', () => {
  it('has a link for what a resource declares, and for each reference in its config', () => {
    const found = nodesOf([
      resource('first'),
      resource('second', { text: 'of ${pg/role/first.outputs.text}' }),
      resource('third', { in: ['${pg/role/second.outputs.a}'] }, ['first', 'second']),
      resource('other', { text: '${pg/role/first.outputs.text}' }, [], 'another project'),
    ]);
    expect(found).toEqual([
      node('pg/role/first'),
      node('pg/role/second', 'pg/role/first'),
      node('pg/role/third', 'pg/role/first', 'pg/role/second'),
      node('pg/role/other'),
    ]);
  });

  it.each<[string, readonly Node[], string]>([
    ['nothing', [], ''],
    ['what is below all that it uses', diamond, 'd | b c | a'],
    ['what is not linked in a grid that wraps', named('n', 5), 'n0 n1 n2 | n3 n4'],
    ['what is linked before what is not', [node('x'), node('a', 'b'), node('b')], 'b | a | x'],
    [
      'two groups side by side',
      [node('a', 'b'), node('b'), node('c', 'd'), node('d')],
      'b d | a c',
    ],
    ['what is not shown as if it were not used', [node('a', 'gone'), node('b', 'gone')], 'a b'],
    ['a cycle once', [node('a', 'b'), node('b', 'a')], 'b | a'],
    ['what uses itself', [node('a', 'a')], 'a'],
    [
      'neighbours below each other',
      [node('x'), node('y'), node('p', 'y'), node('q', 'x'), node('z', 'p', 'q')],
      'x y | q p | z',
    ],
    [
      'more users than fit in several rows',
      [node('hub'), ...named('u', 5, 'hub')],
      'hub | u0 u1 u2 | u3 u4',
    ],
  ])('places %s', (_, nodes, expected) => {
    expect(rowsOf(nodes)).toBe(expected);
  });

  it.each<[string, readonly Node[]]>([
    ['nothing', []],
    ['a diamond', diamond],
    ['a hub', hub],
    ['a cycle', cycle],
    ['loose ones', named('n', 500)],
  ])('fits %s into the width, without a line behind a box', (_, nodes) => {
    for (const within of [740, 1_100, 1_900]) {
      const layout = layoutOf(nodes, within);
      expect(layout.width).toBeLessThanOrEqual(within);
      expectNothingOverlaps(layout);
    }
    // A column of boxes on a phone; the lines beside it may need more.
    expectNothingOverlaps(layoutOf(nodes, 330));
  });

  it('draws an edge for each use of another node, down to its box', () => {
    const { edges, nodes } = layoutOf([...diamond, node('e', 'a', 'a', 'e', 'gone')], width);
    expect(edges.map(({ used, user }) => `${used} ${user}`).sort()).toEqual(
      ['a e', 'b a', 'c a', 'd a', 'd b', 'd c'].sort(),
    );
    const places = new Map(nodes.map((each) => [each.id, each]));
    for (const { used, user, legs, head } of edges) {
      const [from, to] = [places.get(used), places.get(user)];
      expect(legs[0]?.from).toEqual({
        x: (from?.x ?? 0) + size.width / 2,
        y: (from?.y ?? 0) + size.height,
      });
      expect(legs.at(-1)?.to).toEqual(head);
      expect(head.y).toBe(to?.y);
      for (const [at, leg] of legs.slice(1).entries()) expect(leg.from).toEqual(legs[at]?.to);
    }
  });

  it('points up where a cycle closes', () => {
    const { edges } = layoutOf(cycle, width);
    const up = edges.filter(({ isUp }) => isUp);
    expect(up.map(({ used, user }) => `${used} ${user}`)).toEqual(['a c']);
    expect(up[0]?.head).toEqual(up[0]?.legs[0]?.from);
  });

  it('draws what edges from one node have in common once', () => {
    const { edges } = layoutOf(hub, width);
    const legs = edges.filter(({ used }) => used === 'hub').flatMap((edge) => edge.legs);
    expect(legs.length).toBeGreaterThan(400);
    expect(new Set(legs).size).toBeLessThan(100);
  });

  it('places a chain that is longer than the stack is deep', () => {
    const nodes = Array.from({ length: 20_000 }, (_, at) => node(`n${at}`, `n${at + 1}`));
    expect(new Set(layoutOf(nodes, width).nodes.map(({ y }) => y)).size).toBe(20_000);
  });
});

function expectNothingOverlaps({ nodes, edges }: Layout): void {
  const boxes = nodes.map(({ id, x, y }) => ({
    id,
    left: x,
    right: x + size.width,
    top: y,
    bottom: y + size.height,
  }));
  const lines = [...new Set(edges.flatMap(({ legs }) => legs))].map(({ from, to }) => ({
    id: 'line',
    left: Math.min(from.x, to.x),
    right: Math.max(from.x, to.x),
    top: from.y,
    bottom: to.y,
  }));
  const overlaps = boxes.flatMap((box, at) =>
    // A curve stays between its ends.
    [...boxes.slice(at + 1), ...lines]
      .filter((other) => other.left < box.right && other.right > box.left)
      .filter((other) => other.top < box.bottom && other.bottom > box.top)
      .map((other) => `${box.id} ${other.id}`),
  );
  expect(overlaps).toEqual([]);
}
