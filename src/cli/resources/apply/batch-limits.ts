// Divides declarations into batches that the server takes. More than one are sent in the order of their references.
import { isJsonArray, isJsonObject, jsonBytes } from '../../../lib/json.ts';
import { figure } from '../../../lib/text.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { inOrder } from '../declarations/order.ts';

export const maxDocuments = 500;
/** The server takes 4 MiB. */
const maxBytes = 4_000_000;
/** The server takes 100,000, of which some are beside the documents. */
const maxValues = 99_000;

interface DividedRequest {
  readonly declarations: readonly Declaration[];
  readonly set?: { readonly name: string } | undefined;
}

/**
 * @returns the declarations in their order; of more than one batch, each after what it uses. A set is one request, also an empty one
 * @throws CliError for a set that is too large
 */
export function batchesOf({
  declarations,
  set,
}: DividedRequest): readonly (readonly Declaration[])[] {
  const only = splitted(declarations);
  if (set !== undefined) return [wholeSet(set.name, only)];
  if (only.length === 1) return only;
  const ordered = inOrder(declarations, ({ ref, body }) => ({ ref, ...body }));
  return splitted(ordered.map(({ item }) => item));
}

function wholeSet(
  name: string,
  [only = [], ...more]: readonly (readonly Declaration[])[],
): readonly Declaration[] {
  if (more.length === 0) return only;
  const count = only.length + more.flat().length;
  throw usageError(
    `A set is one request, so ${name} cannot have these ${count} resources.`,
    `At most ${maxDocuments} resources, 4 MB and ${figure(maxValues)} values: divide it into sets.`,
  );
}

/** @throws CliError when a digest does not approve all of the declarations */
export function requireOneBatch(request: DividedRequest): void {
  if (batchesOf(request).length > 1) {
    throw usageError(`--plan approves one batch, which has at most ${maxDocuments} documents.`);
  }
}

function splitted(declarations: readonly Declaration[]): readonly (readonly Declaration[])[] {
  const batches: Declaration[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  let values = 0;
  for (const declaration of declarations) {
    const own = { bytes: jsonBytes(declaration.body) + 1, values: countedValues(declaration.body) };
    bytes += own.bytes;
    values += own.values;
    const isFull = batches.at(-1)?.length === maxDocuments;
    if (isFull || bytes > maxBytes || values > maxValues) {
      batches.push([]);
      ({ bytes, values } = own);
    }
    batches.at(-1)?.push(declaration);
  }
  return batches;
}

/** @returns how many values JSON has of it, objects and lists included */
function countedValues(value: unknown): number {
  if (isJsonArray(value)) return value.reduce((sum: number, item) => sum + countedValues(item), 1);
  if (!isJsonObject(value)) return 1;
  return Object.values(value).reduce((sum: number, member) => sum + countedValues(member), 1);
}
