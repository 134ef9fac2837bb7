// Reads the result of a build: a line of its last step, and a document of types behind it. Both come from a pod that ran the
// author's code, so both are validated like any other input.

import { z } from 'zod';
import { concurrency, reportedOptions } from '../../crds/type-options.ts';
import { hasProperVersions, reportedVersions } from '../../crds/type-versions.ts';
import { typePattern } from '../../domain/identity.ts';
import type { ArtifactRef, ArtifactStore } from '../../domain/providers/artifact.ts';
import { isDigest } from '../../domain/providers/artifact.ts';
import { identityProblem } from '../../domain/schemas/identity-problem.ts';
import type { SchemaOf } from '../../domain/schemas/immutable.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { settingsProblem } from '../../domain/schemas/setting-schema.ts';
import { typeOptionsIn } from '../../domain/type-options.ts';
import { identifiedVersionsIn, type TypeVersionsBody } from '../../domain/type-version.ts';
import type { JsonObject } from '../../lib/json.ts';
import { jsonIn } from '../../lib/json.ts';
import { readBounded } from '../../lib/read-bounded.ts';
import type { BuiltType } from '../../store/builds/store.ts';
import type { Pod } from '../workloads.ts';

/** A build with an unusable result; the message is for its author. */
export class UnusableResult extends Error {
  override readonly name = 'UnusableResult';
}

const maxTypesBytes = 512 * 1_024;
/** Limit of the status. */
const maxMessageLength = 1_024;

const Ref = z.object({
  digest: z.string().refine(isDigest),
  size: z.int().min(1),
});
const Result = z.object({ artifact: Ref, types: Ref });
const Types = z
  .array(
    z
      .object({
        resource: z.string().max(63).regex(typePattern),
        description: z.string().max(4_096),
        schema: z.record(z.string(), z.unknown()).optional(),
        ...reportedVersions,
        ...reportedOptions,
      })
      .refine(hasProperVersions),
  )
  .min(1)
  .max(100);
const Built = z.object({
  types: Types,
  settings: z.record(z.string(), z.unknown()).optional(),
  concurrency: concurrency.optional(),
});

interface BuildResult {
  readonly artifact: ArtifactRef;
  readonly types: readonly BuiltType[];
  /** JSON Schema of the settings; undefined when the provider declares none. */
  readonly settings: JsonObject | undefined;
  /** How many events are delivered at a time; undefined when the provider declares no limit. */
  readonly concurrency: number | undefined;
}

interface ResultDeps {
  readonly artifacts: Pick<ArtifactStore, 'open' | 'isLinked'>;
  readonly schemas: Pick<SchemaSandbox, 'checkSchema'>;
}

/** @throws UnusableResult when a retry cannot help; any other error is to be retried */
export async function resultOf(pod: Pod | undefined, deps: ResultDeps): Promise<BuildResult> {
  const published = pod?.status?.containerStatuses?.find(({ name }) => name === 'publish');
  const message = published?.state?.terminated?.message ?? '';
  const said = Result.safeParse(jsonIn(message.trim().split('\n').at(-1) ?? ''));
  if (!said.success) throw new UnusableResult('The build finished without reporting a result');
  const { artifact, types } = said.data;
  const namespace = pod?.metadata.namespace ?? '';
  // A pod may name any digest, also one built by another organization: only uploads from this namespace count.
  for (const { digest } of [artifact, types]) {
    if (!(await deps.artifacts.isLinked(digest, namespace))) throw missingArtifact();
  }
  return { artifact, ...(await readBuiltTypes(types, deps, namespace)) };
}

function missingArtifact(): UnusableResult {
  return new UnusableResult('The build artifact was not found; push the code again');
}

async function readBuiltTypes(
  { digest }: ArtifactRef,
  { artifacts, schemas }: ResultDeps,
  tenant: string,
): Promise<Omit<BuildResult, 'artifact'>> {
  const stored = await artifacts.open(digest);
  if (stored === undefined) throw missingArtifact();
  const tooLarge = () => new UnusableResult(`The types of the build exceed ${maxTypesBytes} bytes`);
  const bytes = await readBounded(stored.bytes, maxTypesBytes, tooLarge);
  const parsed = Built.safeParse(jsonIn(bytes.toString()));
  if (!parsed.success) throw new UnusableResult('The types of the build are invalid');
  const all = parsed.data.types.map(({ resource, description, schema, ...options }) => ({
    resource,
    description,
    schema: schema as JsonObject | undefined,
    ...identifiedVersionsIn(options as TypeVersionsBody),
    ...typeOptionsIn(options),
  }));
  const names = new Set(all.map(({ resource }) => resource));
  if (names.size < all.length)
    throw new UnusableResult('The provider has two types with the same name');
  for (const type of all) {
    for (const each of describedSchemas(type)) await requireUsableSchema(each, { schemas, tenant });
    requireUsableIdentity(type);
  }
  const settings = parsed.data.settings as JsonObject | undefined;
  const problem = settings === undefined ? undefined : settingsProblem(settings);
  if (problem !== undefined) {
    throw new UnusableResult(`The settings of the provider cannot be used: ${problem}`);
  }
  const ofSettings = {
    what: 'The schema of the settings',
    schema: settings,
    of: 'settings',
  } as const;
  await requireUsableSchema(ofSettings, { schemas, tenant });
  return { types: all, settings, concurrency: parsed.data.concurrency };
}

interface DescribedSchema {
  /** Begins a sentence. */
  readonly what: string;
  readonly schema: JsonObject | undefined;
  readonly of: SchemaOf;
}

function describedSchemas({
  resource,
  schema,
  outputsSchema,
  adoptSchema,
  earlierVersions = [],
}: BuiltType): readonly DescribedSchema[] {
  const parts = (
    whose: string,
    config: DescribedSchema['schema'],
    outputs: DescribedSchema['schema'],
  ) =>
    [
      { what: `The schema of ${whose}`, schema: config, of: 'config' },
      { what: `The schema of the outputs of ${whose}`, schema: outputs, of: 'outputs' },
    ] as const;
  return [
    ...parts(`type ${resource}`, schema, outputsSchema),
    { what: `The schema of adopt of type ${resource}`, schema: adoptSchema, of: 'adopt' },
    ...earlierVersions.flatMap((each) =>
      parts(`version ${each.typeVersion} of type ${resource}`, each.schema, each.outputsSchema),
    ),
  ];
}

function requireUsableIdentity({
  resource,
  identity,
  outputsSchema,
  adoptSchema,
}: BuiltType): void {
  if (identity === undefined) return;
  const found = identityProblem(identity, { outputs: outputsSchema, adopt: adoptSchema });
  if (found === undefined) return;
  const where = found.loc.join('.');
  throw new UnusableResult(
    `The identity of type ${resource} cannot be used at ${where}: ${found.problem}`,
  );
}

async function requireUsableSchema(
  { what, schema, of }: DescribedSchema,
  { schemas, tenant }: Pick<ResultDeps, 'schemas'> & { tenant: string },
): Promise<void> {
  if (schema === undefined) return;
  const [violation] = await schemas.checkSchema(schema, tenant, of);
  if (violation === undefined) return;
  const where = violation.loc.length === 0 ? 'its schema' : violation.loc.join('.');
  const message = `${what} cannot be used: ${where}: ${violation.msg}`;
  throw new UnusableResult(message.slice(0, maxMessageLength));
}
