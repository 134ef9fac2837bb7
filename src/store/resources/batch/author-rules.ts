// Asks the authors of the types about all members of a request at once, after the checks of each: a member is refused, replaced or stays
// as it was decided.
import type { Resource } from '../../../crds/resource.ts';
import { sendsEvent } from '../../../domain/apply-plans.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type Organization, slashed } from '../../../domain/identity.ts';
import type { Dependency } from '../../../domain/lifecycle.ts';
import { inTimeSlices } from '../../../lib/turns.ts';
import type { AskAuthors, AuthorAnswer, PlannedContent } from '../../interfaces.ts';
import { forEachConcurrently } from '../../parallel.ts';
import { hasAuthorRules, plannedContent, requireRulesMet } from '../apply/author-rules.ts';
import type { UsesDeps } from '../dependencies/uses.ts';
import type { BatchMember, DecidedMember } from './member.ts';
import { atOnce } from './read-once.ts';

interface AuthorsOptions {
  readonly askAuthors?: AskAuthors | undefined;
  readonly replaces: boolean;
  readonly isPreview: boolean;
}

interface AuthorsRequest {
  /** By their places; the decisions of the authors take the place of those before. */
  readonly decided: DecidedMember[];
  /** Receives what is refused. */
  readonly refusals: { readonly index: number; readonly error: FairleadError }[];
  readonly options: AuthorsOptions;
  /** @returns a member as it would be with what it wants now */
  readonly replan: (member: BatchMember, existing: Resource | undefined) => Promise<DecidedMember>;
  /** Replaces the users of what is replaced. */
  readonly chain?: () => Promise<void>;
}

/** Asks about all members, and then, as new objects, about those that are replaced because of an answer. */
export async function judgeByAuthors(
  deps: UsesDeps,
  organization: Organization,
  request: AuthorsRequest,
): Promise<void> {
  const { decided, refusals, chain } = request;
  let asked: readonly number[] = [...decided.keys()].filter((index) => decided[index]);
  for (let round = 0; round < 2 && asked.length > 0; round += 1) {
    const before = [...decided];
    const answers = await answersAbout(deps, organization, { ...request, asked });
    await forEachConcurrently(answers, atOnce, async ([index, answer]) => {
      try {
        decided[index] = await withAnswer(decided[index] as DecidedMember, answer, request);
      } catch (thrown) {
        if (!(thrown instanceof FairleadError)) throw thrown;
        refusals.push({ index, error: thrown });
      }
    });
    if (refusals.length > 0) return;
    await chain?.();
    asked = [...decided.keys()].filter(
      (index) => decided[index]?.change === 'replace' && before[index]?.change !== 'replace',
    );
  }
}

interface AskedMembers extends Pick<AuthorsRequest, 'decided' | 'options'> {
  readonly asked: readonly number[];
}

/** @returns the answers by the places of the members */
async function answersAbout(
  deps: UsesDeps,
  organization: Organization,
  { decided, asked, options: { askAuthors } }: AskedMembers,
): Promise<ReadonlyMap<number, AuthorAnswer>> {
  if (askAuthors === undefined) return new Map();
  const changing = new Set(
    decided.flatMap((each) => (sendsEvent(each.change) ? [slashed(each.spec)] : [])),
  );
  const contents: { readonly index: number; readonly content: PlannedContent }[] = [];
  await inTimeSlices(asked, (index) => {
    const { prepared, existing, spec } = decided[index] as DecidedMember;
    if (prepared === undefined || !('object' in prepared)) return;
    const { plan, typeVersion } = prepared;
    const written = { plan, spec, existing, typeVersion };
    if (!hasAuthorRules(written)) return;
    const isChanging = (to: Dependency) => changing.has(slashed(to));
    contents.push({
      index,
      content: plannedContent(deps, organization, { ...written, isChanging }),
    });
  });
  const answers = await askAuthors(contents.map(({ content }) => content));
  return new Map(
    contents.flatMap(({ index }, at) => {
      const answer = answers[at];
      return answer === undefined ? [] : [[index, answer] as const];
    }),
  );
}

/** @throws FairleadError what refuses it */
async function withAnswer(
  decided: DecidedMember,
  answer: AuthorAnswer,
  { options: { replaces, isPreview }, replan }: AuthorsRequest,
): Promise<DecidedMember> {
  const forcing = requireRulesMet(answer, replaces || decided.change === 'replace');
  const known =
    answer.outputs === undefined ? decided : { ...decided, knownOutputs: answer.outputs };
  if (forcing.length === 0 || decided.change === 'replace') return known;
  const { member, existing } = decided;
  const wanted = { ...member.wanted, replace: true };
  const replacing = await replan({ ...member, wanted }, existing);
  if (replacing.blockedBy !== undefined && !isPreview) throw replacing.blockedBy;
  return { ...replacing, forcedBy: [...replacing.forcedBy, ...forcing] };
}
