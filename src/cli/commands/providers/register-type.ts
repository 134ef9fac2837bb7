// `fairlead type register`: all types are checked before the first is registered.
import type { RegisteredType, RegisterType, ResourceDefinition } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { typeName } from '../../../domain/identity.ts';
import { warnOfMisfits } from '../../providers/rollout.ts';
import {
  type Refusal,
  type RefusedDeclaration,
  refusalError,
  refusalIn,
  requireAccepted,
} from '../../resources/apply/refusal.ts';
import { readingFor } from '../../resources/declarations/folder.ts';
import { type Problem, requireNone } from '../../resources/declarations/problem.ts';
import { readSources } from '../../resources/declarations/source.ts';
import { parseYaml, type YamlDocument } from '../../resources/declarations/yaml.ts';
import type { Api } from '../../session/api/client.ts';
import type { Invocation } from '../../session/invocation.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { View } from '../../terminal/output.ts';
import { typeView } from './resource-types.ts';

export async function registerTypes(invocation: Invocation): Promise<void> {
  const { flags, output, talk } = invocation;
  const [isPreview, strict] = [flags.on('dry-run'), flags.on('strict')];
  const declared = await declaredTypes(invocation);
  const api = await invocation.api();
  const planned = await planTypes(api, declared, strict);
  for (const { type: owner, record } of planned) {
    warnOfMisfits(talk, record, owner);
  }
  if (isPreview) {
    await output.list(planned, plannedView);
    talk.note('Nothing was registered.');
    return;
  }
  await output.list(await registerAll(api, declared, strict), typeView);
}

async function registerAll(
  api: Api,
  declared: readonly TypeToRegister[],
  strict: boolean,
): Promise<readonly ResourceDefinition[]> {
  const registered: ResourceDefinition[] = [];
  for (const declaration of declared) {
    const { body } = declaration;
    try {
      const query = strict ? { strict } : {};
      registered.push(await api.call('registerType', { query, body, isRepeatable: true }));
    } catch (thrown) {
      const nothing = `${counted(registered.length, 'type was', 'types were')} registered before it.`;
      const total = declared.length;
      throw await refusalError([refusalIn(thrown, declaration)], { api, total, nothing });
    }
  }
  return registered;
}

/** An entry of `type register --dry-run`. */
interface PlannedType {
  readonly type: string;
  /** The value of the header Fairlead-Plan. */
  readonly change: string;
  readonly record: RegisteredType;
}

const plannedView: View<PlannedType> = {
  columns: [
    { title: 'TYPE', cell: ({ type }) => type },
    { title: 'CHANGE', cell: ({ change }) => (change === 'none' ? 'unchanged' : change) },
  ],
  nameOf: ({ type }) => type,
};

/**
 * Asks the server what a registration of each type would do. Nothing is written.
 * @throws CliError that names all types that would be refused
 */
async function planTypes(
  api: Api,
  declared: readonly TypeToRegister[],
  strict: boolean,
): Promise<readonly PlannedType[]> {
  const planned: PlannedType[] = [];
  const refusals: Refusal[] = [];
  for (const declaration of declared) {
    const query = { dry_run: true, ...(strict ? { strict } : {}) };
    const { body } = declaration;
    try {
      const answer = await api.request('registerType', { query, body, isRepeatable: true });
      const change = String(answer.headers['fairlead-plan']);
      planned.push({ type: declaration.ref, change, record: answer.body });
    } catch (thrown) {
      refusals.push(refusalIn(thrown, declaration));
    }
  }
  const total = declared.length;
  const nothing = `Nothing was registered (${counted(total, 'document was', 'documents were')} checked).`;
  await requireAccepted(refusals, { api, total, nothing });
  return planned;
}

type TypeToRegister = RefusedDeclaration & { readonly body: RegisterType };

async function declaredTypes(invocation: Invocation): Promise<readonly TypeToRegister[]> {
  const { flags, args, environment } = invocation;
  const files = [...flags.texts('file'), ...args];
  if (files.length === 0)
    throw usageError('Name what to read with -f: a file, a folder, or - for standard input.');
  const problems: Problem[] = [];
  const types: TypeToRegister[] = [];
  for (const source of await readSources(files, environment, readingFor(invocation))) {
    for (const document of await parseYaml(source, (each) => problems.push(each))) {
      const type = typeIn(document);
      if ('message' in type) problems.push(type);
      else types.push(type);
    }
  }
  requireNone(problems);
  return types;
}

/** The API checks the other fields. */
function typeIn(document: YamlDocument): TypeToRegister | Problem {
  const { value, placeOf } = document;
  const body = value as RegisterType;
  const isNamed =
    typeof value === 'object' &&
    typeof body.provider === 'string' &&
    typeof body.resource === 'string';
  if (!isNamed)
    return { place: placeOf([]), field: '', message: 'must name its provider and resource' };
  return { ref: typeName(body), place: placeOf([]), placeOf, body };
}
