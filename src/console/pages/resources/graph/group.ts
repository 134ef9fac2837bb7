// Gives the rows of a group of linked nodes their places, and its lines a way between the boxes. Pure.
import type { GraphLink, Layers } from './layers.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedNode extends Point {
  readonly id: string;
}

export interface Leg {
  readonly from: Point;
  readonly to: Point;
}

/** From a resource to one that uses it. */
export interface Edge {
  readonly used: string;
  readonly user: string;
  /** From top to bottom. Edges from one node share those that they have in common: the same objects. */
  readonly legs: readonly Leg[];
  /** Its arrowhead. */
  readonly head: Point;
  /** Whether it leads up, as it closes a cycle. */
  readonly isUp: boolean;
}

export interface Layout {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly Edge[];
  readonly width: number;
  readonly height: number;
}

/** The size of a box, in pixels. */
export const size = { width: 200, height: 46 } as const;
const rowGap = 44;
const boxGap = 24;
const laneGap = 14;

/** A box, or the lane on which lines from a box pass a row. */
interface Item {
  readonly id: string;
  readonly isLane: boolean;
  /** The middle. */
  x: number;
  readonly above: Item[];
  readonly below: Item[];
}

export function placedGroup({ rows, links }: Layers): Layout {
  const items = rowItems(rows, links);
  // The first boxes have nothing above them: they follow the others, which then follow them.
  for (const row of items) align(row, 'above');
  for (const row of items.toReversed()) align(row, 'below');
  for (const row of items) align(row, 'above');
  const all = items.flat();
  const left = Math.min(...all.map((each) => each.x - itemWidth(each) / 2));
  for (const each of all) each.x = Math.round(each.x - left);
  const width = Math.max(...all.map((each) => each.x + itemWidth(each) / 2));
  const height = rows.length * (size.height + rowGap) - rowGap;
  const nodes = items.flatMap((row, at) =>
    row
      .filter(({ isLane }) => !isLane)
      .map(({ id, x }) => ({ id, x: x - size.width / 2, y: topOf(at) })),
  );
  return { nodes, edges: edgesOf(items, links), width, height };
}

function topOf(row: number): number {
  return row * (size.height + rowGap);
}

function itemWidth({ isLane }: Item): number {
  return isLane ? 0 : size.width;
}

/** @returns the boxes of each row, with a lane in each row that lines from a box above pass: one for all of them */
function rowItems(rows: Layers['rows'], links: readonly GraphLink[]): Item[][] {
  const items = rows.map((row) => row.map((id) => newItem(id, false)));
  const rowOf = new Map(rows.flatMap((row, at) => row.map((id) => [id, at] as const)));
  const byKey = new Map(items.flat().map((item) => [item.id, item]));
  for (const { above, below } of links) {
    let last = byKey.get(above);
    const end = rowOf.get(below) ?? 0;
    for (let row = (rowOf.get(above) ?? 0) + 1; row < end; row += 1) {
      const key = laneKey(above, row);
      let lane = byKey.get(key);
      if (lane === undefined) {
        lane = newItem(above, true);
        byKey.set(key, lane);
        items[row]?.push(lane);
        joinItems(last, lane);
      }
      last = lane;
    }
    joinItems(last, byKey.get(below));
  }
  for (const row of items)
    for (const [at, item] of row.entries()) item.x = at * (size.width + boxGap);
  return items;
}

/** Ids have slashes, and no spaces. */
function laneKey(id: string, row: number): string {
  return `${id} ${row}`;
}

function newItem(id: string, isLane: boolean): Item {
  return { id, isLane, x: 0, above: [], below: [] };
}

function joinItems(above: Item | undefined, below: Item | undefined): void {
  if (above === undefined || below === undefined) return;
  above.below.push(below);
  below.above.push(above);
}

/** Sorts a row by the middle of its neighbours, and moves each as near to that as the others leave place. */
function align(unsorted: Item[], side: 'above' | 'below'): void {
  const wanted = new Map(unsorted.map((item) => [item, middle(neighbours(item, side)) ?? item.x]));
  const wish = (item: Item) => wanted.get(item) ?? 0;
  const row = [...Map.groupBy(unsorted, wish).values()]
    .sort(([a], [b]) => (a && b ? wish(a) - wish(b) : 0))
    .flatMap(lanesInside);
  unsorted.splice(0, row.length, ...row);
  let packed = 0;
  // From the places in a row without any space left: these differences must not decrease.
  const offsets = row.map((_, at) => {
    packed += distance(row, at);
    return packed;
  });
  const moves = row.map((item, at) => ({
    value: wish(item) - (offsets[at] ?? 0),
    // A lane stays straight, and the boxes make way: a lane over many rows would move aside in each of them.
    weight: item.isLane ? 1_000 : 1,
    count: 1,
  }));
  for (const [at, value] of ascendingValues(moves).entries()) {
    const item = row[at];
    if (item !== undefined) item.x = value + (offsets[at] ?? 0);
  }
}

interface GroupPool {
  readonly value: number;
  readonly weight: number;
  readonly count: number;
}

/** @returns the ascending values that are nearest to these, by least squares: neighbours out of order share their mean */
function ascendingValues(values: readonly GroupPool[]): readonly number[] {
  const pools: GroupPool[] = [];
  for (let pool of values) {
    for (
      let last = pools.at(-1);
      last !== undefined && last.value > pool.value;
      last = pools.at(-1)
    ) {
      pools.pop();
      const weight = last.weight + pool.weight;
      const value = (last.value * last.weight + pool.value * pool.weight) / weight;
      pool = { value, weight, count: last.count + pool.count };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ value, count }) => Array.from({ length: count }, () => value));
}

/** @returns items with the same wish, with the lanes in their middle */
function lanesInside(items: readonly Item[]): readonly Item[] {
  const boxes = items.filter(({ isLane }) => !isLane);
  const lanes = items.filter(({ isLane }) => isLane);
  return boxes.toSpliced(boxes.length >> 1, 0, ...lanes);
}

/** A lane goes on straight, wherever the boxes are to which lines leave it. */
function neighbours(item: Item, side: 'above' | 'below'): readonly Item[] {
  const next = item.isLane ? item[side].filter(({ isLane }) => isLane) : [];
  return next.length > 0 ? next : item[side];
}

function middle(items: readonly Item[]): number | undefined {
  if (items.length === 0) return undefined;
  return items.reduce((sum, { x }) => sum + x, 0) / items.length;
}

/** Between the middles of an item of a row and the one before it. */
function distance(row: readonly Item[], at: number): number {
  const [before, item] = [row[at - 1], row[at]];
  if (before === undefined || item === undefined) return 0;
  const gap = before.isLane || item.isLane ? laneGap : boxGap;
  return (itemWidth(before) + itemWidth(item)) / 2 + gap;
}

function edgesOf(
  items: readonly (readonly Item[])[],
  links: readonly GraphLink[],
): readonly Edge[] {
  const rowOf = new Map<Item, number>();
  for (const [at, row] of items.entries()) for (const item of row) rowOf.set(item, at);
  const boxes = new Map(items.flat().flatMap((item) => (item.isLane ? [] : [[item.id, item]])));
  const rowFor = (item: Item) => rowOf.get(item) ?? 0;
  const legs = new Map<Item, readonly Leg[]>();
  /** The way to the lower end of an item: a lane is passed, and a box is where it begins. */
  const wayTo = (item: Item): readonly Leg[] => {
    const known = legs.get(item);
    const [before] = item.above;
    if (known !== undefined || !item.isLane || before === undefined) return known ?? [];
    const top = { x: item.x, y: topOf(rowFor(item)) };
    const bottom = { x: item.x, y: top.y + size.height };
    const way = [...wayTo(before), { from: bottomOf(before), to: top }, { from: top, to: bottom }];
    legs.set(item, way);
    return way;
  };
  const bottomOf = (item: Item): Point => ({ x: item.x, y: topOf(rowFor(item)) + size.height });
  return links.flatMap(({ above, below, isUp }) => {
    const [start, end] = [boxes.get(above), boxes.get(below)];
    const last = end?.above.find((each) => each.id === above);
    if (start === undefined || end === undefined || last === undefined) return [];
    const to = { x: portOf(end, last), y: topOf(rowFor(end)) };
    return {
      ...(isUp ? { used: below, user: above } : { used: above, user: below }),
      legs: [...wayTo(last), { from: bottomOf(last), to }],
      head: isUp ? bottomOf(start) : to,
      isUp,
    };
  });
}

/** @returns where a line from above ends on a box: each beside the others, in their order */
function portOf(box: Item, from: Item): number {
  const inOrder = box.above.toSorted((a, b) => a.x - b.x);
  const share = (inOrder.indexOf(from) + 1) / (inOrder.length + 1);
  return Math.round(box.x + (share - 0.5) * size.width);
}

export function moved({ nodes, edges }: Layout, by: Point): Pick<Layout, 'nodes' | 'edges'> {
  const to = ({ x, y }: Point): Point => ({ x: x + by.x, y: y + by.y });
  const shared = new Map<Leg, Leg>();
  const leg = (each: Leg): Leg => {
    const known = shared.get(each) ?? { from: to(each.from), to: to(each.to) };
    shared.set(each, known);
    return known;
  };
  return {
    nodes: nodes.map((node) => ({ ...node, ...to(node) })),
    edges: edges.map((edge) => ({ ...edge, legs: edge.legs.map(leg), head: to(edge.head) })),
  };
}
