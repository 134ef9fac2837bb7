// Puts nodes into rows: each is below everything that it uses. Pure.

export interface Node {
  readonly id: string;
  /** Ids of the nodes that it depends on. */
  readonly uses: readonly string[];
}

/** A use, from the box that is above. A use that closes a cycle leads up. */
export interface GraphLink {
  readonly above: string;
  readonly below: string;
  readonly isUp: boolean;
}

export interface Layers {
  readonly rows: readonly (readonly string[])[];
  readonly links: readonly GraphLink[];
}

/**
 * @param nodes that use each other only
 * @param columns the most nodes in a row; where more depend on the same, they are in several rows
 */
export function layered(nodes: readonly Node[], columns: number): Layers {
  const depths = depthsOf(new Map(nodes.map((node) => [node.id, node])));
  const depthOf = (id: string) => depths.get(id) ?? 0;
  const rowOf = new Map<string, number>();
  const rows: string[][] = [];
  for (const { id, uses } of nodes.toSorted((a, b) => depthOf(a.id) - depthOf(b.id))) {
    let row = Math.max(0, ...uses.map((each) => (rowOf.get(each) ?? -1) + 1));
    while ((rows[row]?.length ?? 0) >= columns) row += 1;
    rowOf.set(id, row);
    for (let at = rows.length; at <= row; at += 1) rows.push([]);
    rows[row]?.push(id);
  }
  const links = nodes.flatMap(({ id, uses }) =>
    uses.map((used): GraphLink => {
      const isUp = (rowOf.get(used) ?? 0) > (rowOf.get(id) ?? 0);
      return isUp ? { above: id, below: used, isUp } : { above: used, below: id, isUp };
    }),
  );
  return { rows, links };
}

/** Returns the longest path to each node; a cycle is cut where it closes. Iterative, as a chain may be longer than the stack is deep. */
function depthsOf(known: ReadonlyMap<string, Node>): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  const open = new Set<string>();
  for (const start of known.keys()) {
    const stack = [start];
    for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
      const uses = known.get(id)?.uses ?? [];
      const next = uses.find((each) => !depths.has(each) && !open.has(each));
      if (!depths.has(id) && next !== undefined) {
        open.add(id);
        stack.push(next);
        continue;
      }
      // An open node without a depth closes a cycle.
      const deepest = Math.max(-1, ...uses.map((each) => depths.get(each) ?? -1));
      if (!depths.has(id)) depths.set(id, deepest + 1);
      open.delete(id);
      stack.pop();
    }
  }
  return depths;
}
