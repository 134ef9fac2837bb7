// Places resources in layers: each is below everything that it depends on. Pure.

export interface Node {
  readonly id: string;
  /** Ids of the nodes that it depends on; others are ignored. */
  readonly uses: readonly string[];
}

export interface Placed {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly nodes: readonly Placed[];
  readonly edges: readonly { readonly from: Placed; readonly to: Placed }[];
  readonly width: number;
  readonly height: number;
}

/** Pixels. */
export const nodeSize = { width: 210, height: 34 } as const;
const gap = { x: 24, y: 56 } as const;
const margin = 12;

/** @returns nodes in layers by the longest path; a cycle is cut where it closes */
export function layoutOf(nodes: readonly Node[]): Layout {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const depths = depthsOf(known);
  const layers: string[][] = [];
  for (const { id } of nodes) {
    const depth = depths.get(id) ?? 0;
    layers[depth] = [...(layers[depth] ?? []), id];
  }
  const widest = Math.max(0, ...layers.map(widthOf));
  const placed = new Map<string, Placed>();
  for (const [depth, ids] of layers.entries()) {
    // In the middle, so that an edge over several layers passes between their nodes.
    const start = margin + (widest - widthOf(ids)) / 2;
    for (const [at, id] of near(ids, known, placed).entries()) {
      const x = start + at * (nodeSize.width + gap.x);
      const y = margin + depth * (nodeSize.height + gap.y);
      placed.set(id, { id, x, y });
    }
  }
  const all = [...placed.values()];
  return {
    nodes: all,
    edges: edgesOf(nodes, placed),
    width: widest + 2 * margin,
    height: Math.max(0, layers.length * (nodeSize.height + gap.y) - gap.y) + 2 * margin,
  };
}

function widthOf(layer: readonly unknown[]): number {
  return layer.length * (nodeSize.width + gap.x) - gap.x;
}

/** Iterative, as a chain may be longer than the stack is deep. */
function depthsOf(known: ReadonlyMap<string, Node>): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  const open = new Set<string>();
  for (const start of known.keys()) {
    const stack = [start];
    for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
      const uses = usesOf(known, id);
      const next = uses.find((each) => !depths.has(each) && !open.has(each));
      if (!depths.has(id) && next !== undefined) {
        open.add(id);
        stack.push(next);
        continue;
      }
      // What is open and has no depth yet closes a cycle.
      const deepest = Math.max(-1, ...uses.map((each) => depths.get(each) ?? -1));
      if (!depths.has(id)) depths.set(id, deepest + 1);
      open.delete(id);
      stack.pop();
    }
  }
  return depths;
}

function usesOf(known: ReadonlyMap<string, Node>, id: string): readonly string[] {
  return (known.get(id)?.uses ?? []).filter((each) => each !== id && known.has(each));
}

/** Orders a layer by the middle of what each node depends on, so that edges cross less. */
function near(
  ids: readonly string[],
  known: ReadonlyMap<string, Node>,
  placed: ReadonlyMap<string, Placed>,
): readonly string[] {
  const middle = (id: string) => {
    const above = usesOf(known, id).flatMap((each) => placed.get(each)?.x ?? []);
    return above.length === 0 ? 0 : above.reduce((sum, x) => sum + x, 0) / above.length;
  };
  return ids
    .map((id) => ({ id, at: middle(id) }))
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id);
}

function edgesOf(nodes: readonly Node[], placed: ReadonlyMap<string, Placed>): Layout['edges'] {
  return nodes.flatMap(({ id, uses }) =>
    uses.flatMap((each) => {
      const [from, to] = [placed.get(each), placed.get(id)];
      return from === undefined || to === undefined || from === to ? [] : [{ from, to }];
    }),
  );
}
