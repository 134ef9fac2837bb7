// Orders declarations by their references and dependencies, so that what others use comes first.
import { type ResourceTuple, slashed } from '../../../domain/identity.ts';
import { dependenciesOf } from '../../../domain/references/references.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

/** A declaration or a record. */
interface OrderedDeclaration {
  readonly config: JsonObject;
  readonly dependencies?: readonly ResourceTuple[] | undefined;
}

interface Ordered<T> {
  readonly item: T;
  readonly ref: string;
  /** The names of those among the items that it uses. */
  readonly uses: readonly string[];
}

/**
 * @returns the items, each after those that it uses, otherwise in their order
 * @throws CliError for a cycle
 */
export function inOrder<T>(
  items: readonly T[],
  read: (item: T) => OrderedDeclaration & { readonly ref: string },
): readonly Ordered<T>[] {
  const waiting = new Map<string, Ordered<T>>();
  for (const item of items) waiting.set(read(item).ref, { item, ref: read(item).ref, uses: [] });
  for (const [ref, { item }] of waiting) {
    const { config, dependencies = [] } = read(item);
    const uses = dependenciesOf({ config, dependencies: dependencies.map(plainTuple) })
      .map(slashed)
      .filter((each) => waiting.has(each));
    waiting.set(ref, { item, ref, uses });
  }
  const ordered: Ordered<T>[] = [];
  while (waiting.size > 0) {
    const next = [...waiting.values()].filter(({ uses }) => !uses.some((ref) => waiting.has(ref)));
    if (next.length === 0) throw cycleIn(waiting);
    for (const each of next) waiting.delete(each.ref);
    ordered.push(...next);
  }
  return ordered;
}

function plainTuple({ provider, resource, name }: ResourceTuple) {
  return { provider, resource, name };
}

function cycleIn(waiting: ReadonlyMap<string, Pick<Ordered<unknown>, 'uses'>>): CliError {
  const path: string[] = [];
  let [at] = waiting.keys();
  while (at !== undefined && !path.includes(at)) {
    path.push(at);
    at = waiting.get(at)?.uses.find((ref) => waiting.has(ref));
  }
  const cycle = [...path.slice(path.indexOf(at ?? '')), at ?? ''];
  return new CliError(`The declarations use each other in a cycle: ${cycle.join(' → ')}.`, {
    exit: ExitCode.usage,
    next: 'Nothing was sent.',
  });
}
