// The verbs of a plan: their signs, which are those of terraform, and their words.
import type { MemberPlan } from '../../../api/shapes.ts';
import type { Colour } from '../../terminal/style.ts';

interface ChangeWords {
  readonly sign: string;
  readonly colour: Colour;
  /** The word of a result. */
  readonly done: string;
  /** The words behind a count. */
  readonly planned: string;
  /** Behind the name of the resource. */
  readonly note?: string;
  /** Its provider gets no event. */
  readonly isSilent?: true;
  /** The request of the set does not name the resource: nobody waits until it is ready. */
  readonly isOther?: true;
  /** It stays as it is. */
  readonly isSame?: true;
}

const added = { sign: '+', colour: 'green' } as const;
const changed = { sign: '~', colour: 'yellow', planned: 'to change' } as const;
const removed = { sign: '-', colour: 'red', isOther: true } as const;

const same = { sign: ' ', colour: 'dim', isSame: true } as const;

/** In the order of a summary. */
const changes: Readonly<Record<MemberPlan['change'], ChangeWords>> = {
  create: { ...added, done: 'created', planned: 'to create' },
  import: {
    ...added,
    ...{ done: 'imported', planned: 'to import' },
    note: 'imported: nothing is created or changed',
  },
  update: { ...changed, done: 'updated' },
  fields: { ...changed, done: 'options changed', isSilent: true },
  join: { ...changed, done: 'joined', isSilent: true },
  take: { ...changed, done: 'taken over', note: 'taken from another set', isSilent: true },
  replace: {
    ...{ sign: '-/+', colour: 'red', done: 'replaced', planned: 'to replace' },
    note: 'replace: deleted, and created again',
  },
  retry: {
    ...{ sign: '!', colour: 'yellow', done: 'retried', planned: 'to process again' },
    note: 'failed, and would be processed again',
  },
  leave: {
    ...changed,
    ...{ done: 'left', planned: 'to leave the set' },
    note: 'leaves the set, and stays',
    ...{ isSilent: true, isOther: true },
  },
  delete: { ...removed, done: 'deleted', planned: 'to delete', note: 'deleted' },
  orphan: {
    ...removed,
    ...{ done: 'orphaned', planned: 'to remove and leave' },
    note: 'removed; what its provider created stays',
  },
  unlisted: { ...same, done: 'unlisted', planned: 'unlisted', isOther: true },
  none: { ...same, done: 'unchanged', planned: 'unchanged' },
};

/** @returns the words of a change; of one that a newer server makes, the change itself */
export function changeWords({ change }: Pick<MemberPlan, 'change'>): ChangeWords {
  if (Object.hasOwn(changes, change)) return changes[change];
  return { sign: '~', colour: 'yellow', done: change, planned: `to ${change}` };
}

/** @returns such as `created` */
export function changeWord(member: Pick<MemberPlan, 'change'>): string {
  return changeWords(member).done;
}

/** @returns such as `1 to create, 2 unchanged`; these two are always named */
export function plannedCounts(members: readonly MemberPlan[]): string {
  const counts = new Map(
    Object.values(changes).map(({ planned }) => [planned, isAlwaysNamed(planned) ? 0 : undefined]),
  );
  for (const member of members) {
    const { planned } = changeWords(member);
    counts.set(planned, (counts.get(planned) ?? 0) + 1);
  }
  return [...counts]
    .flatMap(([planned, count]) => (count === undefined ? [] : [`${count} ${planned}`]))
    .join(', ');
}

function isAlwaysNamed(planned: string): boolean {
  return planned === changes.create.planned || planned === changes.none.planned;
}
