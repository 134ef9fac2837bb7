// Divides declarations into batches that the server takes. More than one are sent in the order of their references.
import { isJsonArray, isJsonObject, jsonBytes } from '../../../lib/json.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { inOrder } from '../declarations/order.ts';

/** @throws CliError when a digest does not approve all of the declarations */
export function requireOneBatch(declarations: readonly Declaration[]): void {
  if (batchesOf(declarations).length > 1) {
    throw usageError(`--plan approves one batch, which has at most ${maxDocuments} documents.`);
  }
}

const maxDocuments = 500;
/** The server takes 4 MiB. */
const maxBytes = 4_000_000;
/** The server takes 100,000, of which some are beside the documents. */
const maxValues = 99_000;

/** @returns the declarations in their order; of more than one batch, each after what it uses */
export function batchesOf(
  declarations: readonly Declaration[],
): readonly (readonly Declaration[])[] {
  const only = splitted(declarations);
  if (only.length === 1) return only;
  const ordered = inOrder(declarations, ({ ref, body }) => ({ ref, ...body }));
  return splitted(ordered.map(({ item }) => item));
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
