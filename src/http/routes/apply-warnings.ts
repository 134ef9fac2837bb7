// The warnings of an apply that is accepted: that its config has an earlier version, and what is most likely a mistake.
import { FairleadError } from '../../domain/errors.ts';
import { checkConfig } from '../../domain/schemas/check-config.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import type { DefinitionStore } from '../../store/interfaces.ts';
import { forEachConcurrently } from '../../store/parallel.ts';
import type { DefinitionRecord, ResourceRecord, WantedResource } from '../../store/records.ts';
import type { Caller } from '../auth/authenticate.ts';
import { acceptedAs, earlierVersion } from './type-versions.ts';

/** Written by the checks of an apply; those of its last round count. */
export interface ApplyWarnings {
  /** Why a config that names no version has an earlier one. */
  version: string | undefined;
  /** About references. */
  uses: readonly string[];
  /** About rules of the author that could not be applied. */
  rules: readonly string[];
}

export function noWarnings(): ApplyWarnings {
  return { version: undefined, uses: [], rules: [] };
}

interface WarningsDeps {
  readonly definitions: Pick<DefinitionStore, 'find'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
}

export interface AcceptedApply {
  readonly wanted: WantedResource;
  readonly record: ResourceRecord;
  readonly warnings: ApplyWarnings;
}

/** @returns the texts, sentences without a full stop */
export async function warningsOf(
  deps: WarningsDeps,
  { organization }: Caller,
  { wanted, record, warnings }: AcceptedApply,
): Promise<readonly string[]> {
  const { provider, resource } = wanted.tuple;
  const type = await deps.definitions.find(organization, provider, resource);
  const tenant = organization.namespace;
  const version =
    earlierVersion(type, wanted.typeVersion) ??
    warnings.version ??
    (await keptVersion(deps, { type, wanted, record, tenant }));
  return [version ?? [], warnings.uses, warnings.rules].flat();
}

/** The checks of many applies may take a while: those of an earlier version are asked again. */
const atOnce = 4;

export async function warningsOfAll(
  deps: WarningsDeps,
  caller: Caller,
  applies: readonly AcceptedApply[],
): Promise<readonly (readonly string[])[]> {
  const all: (readonly string[])[] = [];
  await forEachConcurrently(applies.entries(), atOnce, async ([index, each]) => {
    all[index] = await warningsOf(deps, caller, each);
  });
  return all;
}

interface KeptApply extends Pick<AcceptedApply, 'wanted' | 'record'> {
  readonly type: DefinitionRecord | undefined;
  readonly tenant: string;
}

/** A config that is stored already was not checked again. */
async function keptVersion(
  { schemas }: WarningsDeps,
  { type, wanted, record, tenant }: KeptApply,
): Promise<string | undefined> {
  const { config, typeVersion: named } = wanted;
  const { typeVersion: version, state } = record;
  if (type?.schema == null || type.retired !== null || config === undefined) return undefined;
  const isKept = named === undefined && version !== undefined && state !== 'draft';
  if (!isKept || version >= type.typeVersion) return undefined;
  try {
    const misfits = await checkConfig(schemas, type.schema, { config, tenant });
    return misfits.length === 0 ? undefined : acceptedAs(type, { version, keeps: [] });
  } catch (thrown) {
    // The apply is done: nothing that is only said about it may fail it.
    if (thrown instanceof FairleadError) return undefined;
    throw thrown;
  }
}
