// The rules that the author of a type has about a config, beside the schema: which contents they are asked about, and what their answer
// means for an apply. They are asked before anything is written.
import type { Resource, ResourceSpec } from '../../../crds/resource.ts';
import { InvalidRequest, type Violation } from '../../../domain/errors.ts';
import { type Organization, projectIdOf } from '../../../domain/identity.ts';
import type { Dependency } from '../../../domain/lifecycle.ts';
import { resolveReferences } from '../../../domain/references/references.ts';
import type { FieldPath } from '../../../domain/schemas/immutable-fields.ts';
import { firstTypeVersion } from '../../../domain/type-version.ts';
import { type JsonObject, pointer } from '../../../lib/json.ts';
import type { AskAuthors, AuthorAnswer, PlannedContent } from '../../interfaces.ts';
import { findUsed, type UsesDeps, usesOf } from '../dependencies/uses.ts';
import { isReadOnly } from '../options.ts';
import { recordedSecretsOf } from '../recorded-secrets.ts';
import { resourceRecord } from '../state.ts';
import { isPendingImport } from './apply-adopt.ts';
import type { WritePlan } from './apply-plan.ts';

interface WrittenContent {
  readonly plan: Pick<WritePlan, 'change' | 'commits'>;
  readonly spec: ResourceSpec;
  readonly existing: Resource | undefined;
  /** The version of the type that the config has. */
  readonly typeVersion: number | undefined;
  /** @returns whether the outputs of another resource may become other ones, because the same request changes it */
  readonly isChanging?: (dependency: Dependency) => boolean;
}

/** Nothing is created or changed for an import, nor for a resource that is only observed; a retry has a content that was accepted. */
export function hasAuthorRules({ plan, spec, existing }: WrittenContent): boolean {
  const { change, commits } = plan;
  const isNew = change === 'create' || change === 'update' || change === 'replace';
  const { status } = existing ?? {};
  return commits && isNew && !isReadOnly(spec) && !isPendingImport({ spec, status });
}

/** @returns the content as its author sees it; one that replaces an object is a new one */
export function plannedContent(
  deps: UsesDeps,
  { namespace }: Organization,
  { plan, spec, existing, typeVersion, isChanging = () => false }: WrittenContent,
): PlannedContent {
  const { outputsOf } = usesOf(deps, namespace, { spec, existing });
  const known = (dependency: Dependency) =>
    isChanging(dependency) ? undefined : outputsOf(dependency);
  const find = findUsed(deps, namespace, spec);
  const { config, unresolved } = resolveReferences(spec.config as JsonObject, known);
  const { provider, resource, name } = spec;
  return {
    tuple: { provider, resource, name },
    projectId: projectIdOf({ metadata: { namespace }, spec }),
    declared: spec.config as JsonObject,
    config,
    typeVersion: typeVersion ?? firstTypeVersion,
    unknown: [...new Set(unresolved.map(({ at }) => at.map(String).reduce(pointer, '')))],
    applied: plan.change === 'replace' ? undefined : successIn(existing),
    secrets: existing && recordedSecretsOf(existing),
    used(dependency) {
      const found = find(dependency);
      return found && resourceRecord(found);
    },
  };
}

function successIn(existing: Resource | undefined): PlannedContent['applied'] {
  const { appliedConfig, appliedTypeVersion, outputs, outputsTypeVersion, drift } =
    existing?.status ?? {};
  // An object that is gone is created again.
  if (appliedConfig === undefined || drift?.kind === 'Gone') return undefined;
  return {
    config: appliedConfig as JsonObject,
    typeVersion: appliedTypeVersion ?? firstTypeVersion,
    outputs: (outputs as JsonObject | undefined) ?? {},
    outputsTypeVersion: outputsTypeVersion ?? firstTypeVersion,
  };
}

/**
 * @returns the places that cannot change, and so force a replacement
 * @throws InvalidRequest for what is refused, and for such places unless the object may be replaced
 */
export function requireRulesMet(
  { refusals, replaces }: AuthorAnswer,
  mayReplace: boolean,
): readonly FieldPath[] {
  const unchangeable = mayReplace ? [] : replaces.map(unchangeableBy);
  if (refusals.length + unchangeable.length === 0) return replaces;
  throw new InvalidRequest([...refusals, ...unchangeable]);
}

function unchangeableBy(path: FieldPath): Violation {
  const msg =
    'The provider cannot change this in the object that exists; restore the value, or send replace=true to have the resource deleted and created again';
  return { loc: ['body', 'config', ...path], msg, type: 'immutable' };
}

interface AuthorQuestion extends WrittenContent {
  readonly askAuthors: AskAuthors | undefined;
}

/**
 * Asks about one content. A replacement is judged as a new object, and the answer about a change says what forces it.
 * @throws InvalidRequest
 */
export async function forcedByAuthor(
  deps: UsesDeps,
  organization: Organization,
  { askAuthors, ...written }: AuthorQuestion,
): Promise<readonly FieldPath[]> {
  if (askAuthors === undefined || !hasAuthorRules(written)) return [];
  const content = plannedContent(deps, organization, written);
  if (written.plan.change !== 'replace') {
    const [answer] = await askAuthors([content]);
    return answer === undefined ? [] : requireRulesMet(answer, false);
  }
  const change = { ...content, applied: successIn(written.existing) };
  const [ofNew, ofChange] = await askAuthors([content, change]);
  if (ofNew !== undefined) requireRulesMet({ ...ofNew, replaces: [] }, true);
  return ofChange?.replaces ?? [];
}
