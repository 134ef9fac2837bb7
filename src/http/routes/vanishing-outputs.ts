// Finds the resources that refer to outputs which a version of a provider, or a registration, does not describe any more.
import { type Organization, typeName } from '../../domain/identity.ts';
import { problemSentence } from '../../domain/references/reference-check.ts';
import type { Reference } from '../../domain/references/references.ts';
import { type PossibleValues, possibleValues } from '../../domain/schemas/possible-values.ts';
import type { BuiltType } from '../../store/builds/store.ts';
import type { ResourceStore } from '../../store/interfaces.ts';
import type { ResourceRecord } from '../../store/records.ts';

/** A resource that does not fit, and the first reason. */
export interface MisfittingResource {
  readonly id: string;
  /** `provider/resource/name`. */
  readonly name: string;
  /** The first rejected field, or another problem. */
  readonly why: string;
}

type OutputsOfTypes = readonly Pick<BuiltType, 'resource' | 'outputsSchema'>[];

/** @param read the resources of the types whose outputs others may read */
export async function readersOfMissingOutputs(
  { resources }: { readonly resources: Pick<ResourceStore, 'readers'> },
  organization: Organization,
  { read, types }: { readonly read: readonly ResourceRecord[]; readonly types: OutputsOfTypes },
): Promise<readonly MisfittingResource[]> {
  const described = read.filter(({ resource }) =>
    types.some((type) => type.resource === resource && type.outputsSchema !== undefined),
  );
  const problemOf = outputMissing(types);
  const readers = await resources.readers(organization, described);
  return readers.flatMap(({ id, name, references }) => {
    for (const reference of references) {
      const problem = problemOf(reference);
      if (problem === undefined) continue;
      return [{ id, name, why: `${['config', ...reference.at].join('.')}: ${problem}` }];
    }
    return [];
  });
}

/** Many resources refer to the same output. */
function outputMissing(types: OutputsOfTypes): (reference: Reference) => string | undefined {
  const values = new Map<string, PossibleValues | undefined>(
    types.map(({ resource, outputsSchema }) => [
      resource,
      outputsSchema && possibleValues(outputsSchema),
    ]),
  );
  const known = new Map<string, string | undefined>();
  return ({ to, path }) => {
    const key = JSON.stringify([to.resource, path]);
    if (known.has(key)) return known.get(key);
    const found = values.get(to.resource)?.at(path);
    const problem =
      found !== undefined && 'missing' in found
        ? problemSentence(typeName(to), path, { why: 'noOutput', ...found })
        : undefined;
    known.set(key, problem);
    return problem;
  };
}
