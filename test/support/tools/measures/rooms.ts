// Counts the rooms of a folder, and the floors on which their imports put them.
import { importsOf, withoutTemplates } from '../../runner/architecture.ts';

export interface Rooms {
  /** The folders, and the modules beside them. */
  readonly rooms: number;
  /** The most rooms of which each imports the next; those of a circle are counted one by one. */
  readonly floors: number;
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** @param sources texts of TypeScript files by their paths, relative to the folder, with `/` */
export function roomsOf(sources: ReadonlyMap<string, string>): Rooms {
  const graph = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    const room = roomOf(path);
    const others = graph.get(room) ?? new Set();
    graph.set(room, others);
    for (const specifier of importsOf(withoutTemplates(text))) {
      const { pathname } = new URL(specifier, `file:///folder/${path}`);
      if (!specifier.startsWith('.') || !pathname.startsWith('/folder/')) continue;
      const other = roomOf(pathname.slice('/folder/'.length));
      if (other !== room) others.add(other);
    }
  }
  const heights = new Map<string, number>();
  return {
    rooms: graph.size,
    floors: Math.max(0, ...[...graph.keys()].map((room) => heightOf(room, graph, heights))),
  };
}

function heightOf(room: string, graph: Graph, heights: Map<string, number>): number {
  const known = heights.get(room);
  if (known !== undefined) return known;
  const circle = circleOf(room, graph);
  const below = [...circle]
    .flatMap((each) => [...(graph.get(each) ?? [])])
    .filter((each) => !circle.has(each))
    .map((each) => heightOf(each, graph, heights));
  const height = circle.size + Math.max(0, ...below);
  for (const each of circle) heights.set(each, height);
  return height;
}

/** @returns the rooms that a room reaches and that reach it, and itself */
function circleOf(room: string, graph: Graph): ReadonlySet<string> {
  const reached = [...reachedFrom(room, graph)];
  return new Set([room, ...reached.filter((each) => reachedFrom(each, graph).has(room))]);
}

function reachedFrom(room: string, graph: Graph): ReadonlySet<string> {
  const reached = new Set(graph.get(room));
  for (const each of reached) for (const next of graph.get(each) ?? []) reached.add(next);
  return reached;
}

function roomOf(path: string): string {
  return path.split('/', 1)[0] ?? path;
}
