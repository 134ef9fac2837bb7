// Asks the server what an apply of each declaration would do. Nothing is written.

import { isPermitted } from '../../../api/permissions.ts';
import type { ApplyResource, ResourceRecord } from '../../../api/shapes.ts';
import { isProjectOf } from '../../../client/project.ts';
import { keepsOptions } from '../../../client/resource-options.ts';
import type { ApplyPlanned } from '../../../domain/apply-plans.ts';
import { slashed } from '../../../domain/identity.ts';
import { canonicalJson } from '../../../lib/json.ts';
import type { Api, ApiAnswer } from '../../session/api/client.ts';
import { inParallel } from '../../session/api/parallel.ts';
import { withRequestProgress } from '../../session/api/request-progress.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { type Refusal, refusalIn } from './refusal.ts';
import { needsReplacement, plannedReplacement, type Replacement } from './replacement.ts';

/** The value of the header Fairlead-Plan; `busy` when the resource is being processed. */
export type PlannedChange = ApplyPlanned | 'busy';

export interface CheckedDeclaration {
  readonly declaration: Declaration;
  readonly change: PlannedChange;
  /** As it would be. */
  readonly record: ResourceRecord | undefined;
  /** Why the change is a replacement. */
  readonly replacement?: Replacement;
  /** Warnings of the server. */
  readonly warnings?: readonly string[];
}

interface ApplyCheckOptions {
  /** A resource that is being processed is no refusal. */
  readonly permitsBusy?: boolean;
  /** Fields that cannot change are no refusal: the resource may be replaced. */
  readonly replaces?: boolean;
}

/** With fewer documents a list costs more than it saves. */
const fewestListed = 9;

interface CheckResult {
  /** In the order of the declarations. */
  readonly checked: readonly CheckedDeclaration[];
  readonly refusals: readonly Refusal[];
}

/** The states in which an apply may succeed later. */
const passing: readonly unknown[] = ['resource_busy', 'resource_deleting'];

export async function checkAll(
  invocation: Invocation,
  declarations: readonly Declaration[],
  options: ApplyCheckOptions = {},
): Promise<CheckResult> {
  const api = await invocation.api();
  const isListed = declarations.length >= fewestListed;
  const known = await unchangedRecords(api, isListed ? declarations : []);
  const requests = { word: 'checked', total: declarations.length - known.size };
  const results = await withRequestProgress(invocation, requests, (done) =>
    inParallel(declarations, async (declaration) => {
      const record = known.get(declaration.ref);
      if (record !== undefined) return unchanged(declaration, record);
      return await checkDeclaration(api, declaration, options)
        .catch((thrown: unknown) => refusalIn(thrown, declaration))
        .finally(done);
    }),
  );
  const checked = results.filter((each) => 'change' in each);
  const warnings = new Set(checked.flatMap(({ warnings = [] }) => warnings));
  for (const warning of warnings) invocation.talk.warn(warning);
  return {
    checked,
    refusals: results.filter((each) => 'error' in each),
  };
}

function unchanged(declaration: Declaration, record: ResourceRecord): CheckedDeclaration {
  return { declaration, change: 'none', record };
}

async function checkDeclaration(
  api: Api,
  declaration: Declaration,
  { permitsBusy = false, replaces = false }: ApplyCheckOptions,
): Promise<CheckedDeclaration> {
  const request = applyRequest(declaration);
  try {
    const answer = await api.request('applyResource', { ...request, query: { dry_run: true } });
    const { body: record } = answer;
    return { declaration, change: changeIn(answer), record, warnings: warningsIn(answer) };
  } catch (thrown) {
    if (replaces && needsReplacement(thrown)) {
      const { record, ...replacement } = await plannedReplacement(api, request, thrown);
      return { declaration, change: 'replace', record, replacement };
    }
    const isBusy = thrown instanceof ApiError && passing.includes(thrown.code);
    if (permitsBusy && isBusy) return { declaration, change: 'busy', record: undefined };
    throw thrown;
  }
}

/** The same apply twice changes nothing, so it may be repeated. */
export function applyRequest({ body, ifMatch }: Pick<Declaration, 'body' | 'ifMatch'>) {
  const headers = ifMatch === undefined ? {} : { 'if-match': ifMatch };
  return { body, headers, isRepeatable: true };
}

function changeIn({ headers }: ApiAnswer<unknown>): PlannedChange {
  const plan = headers['fairlead-plan'];
  if (typeof plan === 'string') return plan as PlannedChange;
  throw new CliError('The server answers a check without a plan, so it may have written.', {
    next: 'The versions of both: fairlead version',
  });
}

/** As clients of Kubernetes read it: 299 - "text". */
function warningsIn({ headers: { warning } }: ApiAnswer<unknown>): readonly string[] {
  const found = `${warning ?? ''}`.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g);
  return Array.from(found, ([, text = '']) => `${text.replaceAll(/\\(.)/g, '$1')}.`);
}

// Finds the declarations that an apply would leave as they are, by one list instead of a request for each. Doubtful ones are not
// among them, so that the server decides about it.

const pageSize = 1_000;

/** @returns the records of the declarations that are unchanged, by `provider/type/name` */
async function unchangedRecords(
  api: Api,
  declarations: readonly Pick<Declaration, 'ref' | 'body'>[],
): Promise<ReadonlyMap<string, ResourceRecord>> {
  const found = new Map<string, ResourceRecord>();
  if (declarations.length === 0) return found;
  const wanted = new Map(declarations.map(({ ref, body }) => [ref, body]));
  const { role, project_id: project } = await api.call('getMe', {});
  // The server refuses it, also where nothing would change.
  if (!isPermitted({ role, project: project ?? undefined }, 'applyResource')) return found;
  const query = { ...commonType([...wanted.values()]), limit: pageSize };
  try {
    // No more pages than there are documents: asking for each of them costs less then.
    for (const record of await api.list('listResources', { query }, wanted.size * pageSize)) {
      const body = wanted.get(slashed(record));
      if (body !== undefined && isUnchanged(record, body)) found.set(slashed(record), record);
    }
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
  }
  return found;
}

/** @returns the filter that all of them match */
function commonType([first, ...rest]: readonly ApplyResource[]) {
  if (first === undefined || rest.some(({ provider }) => provider !== first.provider)) return {};
  const { provider, resource } = first;
  return rest.some((each) => each.resource !== resource) ? { provider } : { provider, resource };
}

/**
 * Returns whether the server certainly leaves a resource as it is, as `planApply` of the server decides it. Configs are stored as they
 * were sent, with references and without defaults.
 */
export function isUnchanged(record: ResourceRecord, body: ApplyResource): boolean {
  const { lifecycle_state: state, masked = [], deletion_requested_at, tags } = record;
  if (masked.length > 0 || deletion_requested_at !== null) return false;
  // It may be another version than the stored one, and the server warns about an earlier one.
  if (body.type_version != null) return false;
  // An apply of a failed resource retries it.
  if (state === 'failed' || (state === 'draft') !== (body.lifecycle_state === 'draft'))
    return false;
  return (
    canonicalJson(record.config) === canonicalJson(body.config) &&
    isProjectOf(record, body.project_id ?? record.project_id) &&
    keepsOptions(record, body) &&
    (body.tags === undefined || isSameList(body.tags ?? [], tags ?? [])) &&
    (body.dependencies == null ||
      isSameList(body.dependencies.map(slashed), record.dependencies.map(slashed)))
  );
}

/** In their order, which the server compares, too. */
function isSameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((each, at) => each === right[at]);
}
