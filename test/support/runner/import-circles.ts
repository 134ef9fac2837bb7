// Defines the rule of src/README.md that imports form no circle, as one pure function.
import { withoutTemplates } from './architecture.ts';

/** The imports of each file, by path. */
type Graph = ReadonlyMap<string, readonly string[]>;

interface Import {
  readonly target: string;
  readonly ofTypes: boolean;
}

const advice = 'Move what both need to a file that imports neither.';

/**
 * @param sources texts of TypeScript files by their paths, relative to the project, with `/`
 * @returns the circles in which they import each other, one sentence each
 */
export function importCircles(sources: ReadonlyMap<string, string>): string[] {
  const imports = new Map([...sources].map(([path, text]) => [path, importsIn(path, text)]));
  const atRunTime = circlesIn(graphOf(imports, ({ ofTypes }) => !ofTypes));
  const withTypes = circlesIn(graphOf(imports, () => true));
  return [
    ...atRunTime.map((circle) => `${circle}: a circle of imports. ${advice}`),
    ...withTypes
      .filter((circle) => !atRunTime.includes(circle))
      .map((circle) => `${circle}: a circle of imports of types. ${advice}`),
  ];
}

/** Dynamic imports are none: tables of commands and pages load by them what may use the table. */
function importsIn(path: string, text: string): readonly Import[] {
  const pattern = /^\s*(?:import|export)\s(type\s)?(?:[^'";]*?\sfrom\s+)?['"](\.[^'"]+)['"]/gm;
  return [...withoutTemplates(text).matchAll(pattern)].map(([, type, specifier = '']) => ({
    target: new URL(specifier, `file:///${path}`).pathname.slice(1),
    ofTypes: type !== undefined,
  }));
}

function graphOf(
  imports: ReadonlyMap<string, readonly Import[]>,
  counts: (each: Import) => boolean,
): Graph {
  return new Map(
    [...imports].map(([path, each]) => [path, each.filter(counts).map(({ target }) => target)]),
  );
}

/** @returns circles such as `a.ts → b.ts → a.ts`, of which no two share a file */
function circlesIn(graph: Graph): string[] {
  const seen = new Set<string>();
  const circles: string[] = [];
  for (const path of graph.keys()) {
    const circle = seen.has(path) ? undefined : shortestCircle(path, graph);
    if (circle === undefined || circle.some((each) => seen.has(each))) continue;
    for (const each of circle) seen.add(each);
    circles.push([...circle, path].join(' → '));
  }
  return circles;
}

/** @returns the files from one back to itself, by breadth-first search */
function shortestCircle(start: string, graph: Graph): readonly string[] | undefined {
  const importers = new Map<string, string>();
  const queue = [start];
  for (const path of queue) {
    for (const target of graph.get(path) ?? []) {
      if (target === start) return wayTo(path, importers);
      if (importers.has(target)) continue;
      importers.set(target, path);
      queue.push(target);
    }
  }
  return undefined;
}

function wayTo(end: string, importers: ReadonlyMap<string, string>): readonly string[] {
  const way = [end];
  for (let at = importers.get(end); at !== undefined; at = importers.get(at)) way.unshift(at);
  return way;
}
