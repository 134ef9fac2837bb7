// Places resources: what is linked in layers from top to bottom, the rest in a grid, all within a width. Pure.
import { type Edge, type Layout, moved, type PlacedNode, placedGroup, size } from './group.ts';
import { layered, type Node } from './layers.ts';

/** Pixels. */
const margin = 12;
const betweenGroups = { x: 48, y: 40 } as const;
const betweenLoose = { x: 24, y: 14 } as const;

/**
 * @param nodes uses of others, and of the node itself, are ignored
 * @param width in which it has to fit; what is linked with more than fits beside each other is in several rows
 * @returns the groups of linked nodes, in the order of their first nodes, then those without a link
 */
export function layoutOf(nodes: readonly Node[], width: number): Layout {
  const inner = width - 2 * margin;
  const groups = connectedGroups(nodes);
  const linked = groups.filter((group) => group.length > 1);
  const loose = groups.filter((group) => group.length === 1);
  const sheet = { nodes: [] as PlacedNode[], edges: [] as Edge[], width: 0, height: 0 };
  placeGroups(
    sheet,
    linked.map((group) => fittedGroup(group, inner)),
    { inner, gap: betweenGroups },
  );
  if (linked.length > 0 && loose.length > 0) sheet.height += betweenGroups.y;
  placeGroups(
    sheet,
    loose.map((group) => fittedGroup(group, inner)),
    { inner, gap: betweenLoose },
  );
  return { ...sheet, width: sheet.width + 2 * margin, height: sheet.height + 2 * margin };
}

/** Fewer boxes in a row make place for the lines that pass between them. */
function fittedGroup(group: readonly Node[], inner: number): Layout {
  let columns = Math.max(1, Math.floor((inner + betweenLoose.x) / (size.width + betweenLoose.x)));
  let spread = placedGroup(layered(group, columns));
  while (spread.width > inner && columns > 1) {
    columns -= 1;
    spread = placedGroup(layered(group, columns));
  }
  return spread;
}

interface Spacing {
  readonly inner: number;
  readonly gap: { readonly x: number; readonly y: number };
}

/** Adds groups below what is on the sheet, from left to right in as many rows as they need. */
function placeGroups(
  sheet: { nodes: PlacedNode[]; edges: Edge[]; width: number; height: number },
  spreads: readonly Layout[],
  { inner, gap }: Spacing,
): void {
  let left = 0;
  let top = sheet.height;
  for (const spread of spreads) {
    if (left > 0 && left + spread.width > inner) {
      left = 0;
      top = sheet.height + gap.y;
    }
    const { nodes, edges } = moved(spread, { x: margin + left, y: margin + top });
    sheet.nodes.push(...nodes);
    sheet.edges.push(...edges);
    sheet.width = Math.max(sheet.width, left + spread.width);
    sheet.height = Math.max(sheet.height, top + spread.height);
    left += spread.width + gap.x;
  }
}

/** @returns the nodes that are linked with each other, directly or not; each use is of a node of the same group */
function connectedGroups(nodes: readonly Node[]): readonly (readonly Node[])[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const known = nodes.map(({ id, uses }) => ({
    id,
    uses: [...new Set(uses)].filter((each) => each !== id && ids.has(each)),
  }));
  const neighbours = new Map<string, string[]>(known.map(({ id, uses }) => [id, [...uses]]));
  for (const { id, uses } of known) for (const each of uses) neighbours.get(each)?.push(id);
  const groupOf = new Map<string, string>();
  for (const { id: first } of known) {
    if (groupOf.has(first)) continue;
    for (const id of reached(first, neighbours)) groupOf.set(id, first);
  }
  return [...Map.groupBy(known, ({ id }) => groupOf.get(id)).values()];
}

function reached(first: string, neighbours: ReadonlyMap<string, readonly string[]>): Set<string> {
  const members = new Set([first]);
  // A set is iterated over what is added meanwhile.
  for (const id of members) for (const each of neighbours.get(id) ?? []) members.add(each);
  return members;
}
