// Reads and checks the types of built code in a separate process without secrets, with little memory and time.
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { concurrency, reportedOptions } from '../../crds/type-options.ts';
import { reportedVersions } from '../../crds/type-versions.ts';
import { identityProblem } from '../../domain/schemas/identity-problem.ts';
import type { SchemaOf } from '../../domain/schemas/immutable.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { settingsProblem } from '../../domain/schemas/setting-schema.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Registration } from '../../sdk/index.ts';
import { loadFailureCodes } from '../runtime/load-failure.ts';
import { type ChildExit, type Output, runCommand } from './child.ts';
import { type BuildFailure, codedFailure, stepFailure } from './reasons.ts';

interface TypesOptions {
  readonly codeFolder: string;
  readonly provider: string;
  readonly env: Readonly<Record<string, string>>;
  readonly output: Output;
  readonly sandbox: Pick<SchemaSandbox, 'checkSchema'>;
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

interface TypesRead {
  readonly kind: 'read';
  readonly types: readonly Registration[];
  /** JSON Schema of the settings; undefined when the provider declares none. */
  readonly settings: JsonObject | undefined;
  /** How many events are delivered at a time; undefined when the provider declares no limit. */
  readonly concurrency: number | undefined;
}

const program = fileURLToPath(new URL('types-program.ts', import.meta.url));
const reportBytes = 8 * 1_048_576;
const maxTypes = 100;
/** Node's exit code for a top-level `await` that never settles. */
const unsettled = 13;

const typeName = z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/);
const Refused = z.object({ code: z.enum(loadFailureCodes), message: z.string() });
const Odd = z.object({ resource: typeName, problem: z.string() });
const Type = z.object({
  provider: z.string(),
  resource: typeName,
  description: z.string().max(4_096),
  schema: z.record(z.string(), z.unknown()),
  ...reportedVersions,
  ...reportedOptions,
});
const Settings = z.union([
  z.object({ schema: z.record(z.string(), z.unknown()) }),
  z.object({ problem: z.string() }),
]);
const Report = z.union([
  Refused,
  z.object({
    types: z.array(z.union([Type, Odd])).max(maxTypes),
    settings: Settings.optional(),
    concurrency: concurrency.optional(),
  }),
]);

export async function readTypes(options: TypesOptions): Promise<TypesRead | BuildFailure> {
  const { codeFolder, provider, env, output, timeoutMs, memoryMb } = options;
  const ended = await runCommand({
    program: process.execPath,
    args: [`--max-old-space-size=${memoryMb}`, program, codeFolder, provider],
    cwd: codeFolder,
    env,
    output,
    timeoutMs,
    report: { bytes: reportBytes },
  });
  const report = reportIn(ended);
  if (report === undefined) return unsaid(ended, timeoutMs);
  if ('code' in report) return codedFailure(report.code, report.message);
  const { types, settings, concurrency: limit } = report;
  const problem =
    (await typesProblem(types, options)) ?? (await problemOfSettings(settings, options));
  if (problem !== undefined) return problem;
  return {
    kind: 'read',
    types: types as unknown as readonly Registration[],
    settings:
      settings !== undefined && 'schema' in settings ? (settings.schema as JsonObject) : undefined,
    concurrency: limit,
  };
}

function reportIn({ report, code, isLate }: ChildExit): z.output<typeof Report> | undefined {
  if (report === undefined || report === '' || code !== 0 || isLate) return undefined;
  try {
    return Report.parse(JSON.parse(report));
  } catch {
    return undefined;
  }
}

/** The process sent no usable report: it was killed, crashed, or exited. */
function unsaid({ report, ...ended }: ChildExit, timeoutMs: number): BuildFailure {
  const command = 'Importing the code';
  if (ended.code === unsettled) {
    return codedFailure('import_failed', 'The code has a top-level await that never settles');
  }
  if (ended.code !== 0 || ended.isLate) {
    return stepFailure({ ...ended, step: 'types', command, timeoutMs });
  }
  if (report === '') {
    return codedFailure(
      'ended_early',
      'The code ends the process during the import, before its types can be read',
    );
  }
  return codedFailure(
    'invalid_type',
    `The types of the code are invalid; a provider can have at most ${maxTypes}`,
  );
}

type ReportedType = z.output<typeof Type>;
type Reported = ReportedType | z.output<typeof Odd>;

async function typesProblem(
  types: readonly Reported[],
  options: TypesOptions,
): Promise<BuildFailure | undefined> {
  const { provider } = options;
  if (types.length === 0) return codedFailure('invalid_type', `Provider ${provider} has no types`);
  const seen = new Set<string>();
  for (const type of types) {
    if (seen.has(type.resource)) {
      const message = `Provider ${provider} has two types with the same name: ${type.resource}`;
      return codedFailure('duplicate_type', message);
    }
    seen.add(type.resource);
    const problem = await problemOfType(type, options);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function problemOfSettings(
  settings: z.output<typeof Settings> | undefined,
  { sandbox }: TypesOptions,
): Promise<BuildFailure | undefined> {
  if (settings === undefined) return undefined;
  const unusable = (why: string) =>
    codedFailure('invalid_schema', `The settings of the provider cannot be used: ${why}`);
  if ('problem' in settings) return unusable(settings.problem);
  const schema = settings.schema as JsonObject;
  const problem = settingsProblem(schema);
  if (problem !== undefined) return unusable(problem);
  const [violation] = await sandbox.checkSchema(schema, undefined, 'settings');
  return violation && unusable([...violation.loc, violation.msg].join('.'));
}

async function problemOfType(
  type: Reported,
  { provider, sandbox }: TypesOptions,
): Promise<BuildFailure | undefined> {
  const { resource } = type;
  if ('problem' in type) return codedFailure('invalid_schema', `Type ${resource}: ${type.problem}`);
  if (type.provider !== provider) {
    return codedFailure(
      'other_provider',
      `Type ${resource} belongs to provider "${type.provider}"`,
    );
  }
  for (const { what, schema, of } of namedSchemas(type)) {
    const [violation] = await sandbox.checkSchema(schema as JsonObject, undefined, of);
    if (violation === undefined) continue;
    const where = violation.loc.length === 0 ? '' : ` at ${violation.loc.join('.')}`;
    return codedFailure(
      'invalid_schema',
      `Type ${resource}: the schema of ${what} cannot be used${where}: ${violation.msg}`,
    );
  }
  const { identity, outputs_schema: outputs, adopt_schema: adopt } = type;
  const schemas = { outputs, adopt } as { outputs?: JsonObject; adopt?: JsonObject };
  const found = identity && identityProblem(identity, schemas);
  return (
    found &&
    codedFailure(
      'invalid_type',
      `Type ${resource}: its identity cannot be used at ${found.loc.join('.')}: ${found.problem}`,
    )
  );
}

function namedSchemas({
  schema,
  type_version = 1,
  outputs_schema,
  adopt_schema,
  earlier_versions = [],
}: ReportedType) {
  const newest = (part: SchemaOf) =>
    type_version === 1 ? `its ${part}` : `the ${part} of version ${type_version}`;
  const versions = [
    { schema, outputs_schema, name: newest },
    ...earlier_versions.map((earlier) => ({
      ...earlier,
      name: (part: SchemaOf) => `the ${part} of version ${earlier.type_version}`,
    })),
  ];
  const ofVersions = versions.flatMap(({ name, ...each }) => [
    { of: 'config' as const, what: name('config'), schema: each.schema },
    { of: 'outputs' as const, what: name('outputs'), schema: each.outputs_schema },
  ]);
  const ofAdopt = { of: 'adopt' as const, what: 'its adopt', schema: adopt_schema };
  return [...ofVersions, ofAdopt].flatMap(({ schema: found, ...each }) =>
    found === undefined ? [] : [{ ...each, schema: found }],
  );
}
