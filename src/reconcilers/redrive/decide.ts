// Pure. Decides the next step of a redrive: a canary of each cause goes first, and its outcome decides about the rest.
import type { StoredDeadLetter } from '../../store/dead-letters/object.ts';
import { type Cause, maxCauses } from '../../store/dead-letters/redrives.ts';

/** The outcome of the canary. `missed`: not sent yet. `void`: it has no meaning any more. */
export type CanaryOutcome = 'missed' | 'pending' | 'succeeded' | 'failed' | 'void';

/** The state of one cause within the redrive. */
export interface CauseView {
  /** `<provider>/<cause>`. */
  readonly key: string;
  readonly recorded: Cause | undefined;
  /** Dead letters that may be sent, oldest first. */
  readonly live: readonly StoredDeadLetter[];
  /** Dead letters with a running event; they may be live again. */
  readonly underWay: number;
  /** Outcome of the canary, while it is being tried. */
  readonly canaryOutcome: CanaryOutcome | undefined;
  /** Dead letters of the same cause that were written since the redrive began. */
  readonly failedSince: number;
  /** True when anything succeeded in the newest batch with a known end; undefined without such a batch. */
  readonly batchSucceeded: boolean | undefined;
}

export interface Situation {
  readonly causes: readonly CauseView[];
  /** Superseded dead letters of the redrive. */
  readonly superseded: readonly StoredDeadLetter[];
  /** How many dead letters may be processed now. */
  readonly budget: number;
}

export interface Plan {
  /** Dead letters to remove, once the API server agrees. */
  readonly remove: readonly StoredDeadLetter[];
  /** State to record before anything is sent; undefined when it is recorded already. */
  readonly record: Readonly<Record<string, Cause>> | undefined;
  /** Dead letters to send again, in this order. */
  readonly send: readonly CanarySending[];
  /** Causes that are held from now on. */
  readonly heldNow: readonly string[];
  /** `finished`: nothing is left. `batch`: there is more to do as soon as the pace allows. `wait`: others must act first. */
  readonly outlook: 'finished' | 'batch' | 'wait';
}

export interface CanarySending {
  readonly cause: string;
  readonly deadLetter: StoredDeadLetter;
}

/** A canary may succeed by chance: with this many failures and no success, the rest is held all the same. */
const maxFailures = 3;

interface CauseStep {
  readonly view: CauseView;
  /** The next recorded state; undefined removes the cause. */
  readonly next: Cause | undefined;
  /** Dead letters that may be sent. */
  readonly ready: readonly StoredDeadLetter[];
  /** Nothing of this cause will be sent any more, whatever happens. */
  readonly isOver: boolean;
}

export function decide({ causes, superseded, budget }: Situation): Plan {
  const remove = superseded.slice(0, budget);
  const steps = whileThereIsRoom(causes.map(causeStep));
  const ready = steps.flatMap(sendings).sort(canariesThenOldest);
  const chosen = ready.slice(0, budget - remove.length);
  const started = new Set(chosen.map(({ cause }) => cause));
  const kept = steps.map((step) => (isPostponed(step, started) ? without(step) : step));
  const isLeft = superseded.length > remove.length || ready.length > chosen.length;
  const isOver = remove.length === 0 && !isLeft && steps.every((step) => step.isOver);
  return {
    remove,
    // A finished redrive is deleted and need not be recorded again.
    record: isOver ? undefined : causesRecord(kept),
    send: chosen.map(({ cause, deadLetter }) => ({ cause, deadLetter })),
    heldNow: steps.filter(isHeldNow).map(({ view }) => view.key),
    outlook: isOver ? 'finished' : isLeft ? 'batch' : 'wait',
  };
}

function causeStep(view: CauseView): CauseStep {
  switch (view.recorded?.state) {
    case undefined:
      return tryAnother(view);
    case 'held':
      return holdCause(view, view.recorded);
    case 'trying':
      return afterCanary(view, view.recorded);
    case 'open':
      return goOn(view, view.recorded);
  }
}

function tryAnother(view: CauseView): CauseStep {
  const [first] = view.live;
  if (first === undefined) {
    return { view, next: undefined, ready: [], isOver: view.underWay === 0 };
  }
  const next = { canary: first.eventId, type: first.eventType, state: 'trying' } as const;
  return { view, next, ready: [first], isOver: false };
}

function afterCanary(view: CauseView, recorded: Cause): CauseStep {
  const trying = { view, next: recorded, ready: [], isOver: false };
  switch (view.canaryOutcome) {
    case undefined:
    case 'pending':
      return trying;
    case 'missed':
      return { ...trying, ready: view.live.filter((each) => each.eventId === recorded.canary) };
    case 'succeeded':
      return goOn(view, { ...recorded, state: 'open' });
    case 'failed':
      return holdCause(view, recorded);
    case 'void':
      return tryAnother(view);
  }
}

function goOn(view: CauseView, recorded: Cause): CauseStep {
  const { live, underWay, failedSince, batchSucceeded } = view;
  if (failedSince >= maxFailures && batchSucceeded === false) return holdCause(view, recorded);
  const isOver = live.length + underWay === 0;
  return { view, next: isOver ? undefined : recorded, ready: live, isOver };
}

function holdCause(view: CauseView, recorded: Cause): CauseStep {
  return { view, next: { ...recorded, state: 'held' }, ready: [], isOver: true };
}

/** New causes wait until the record has space for them. Held causes never free theirs: then the new ones are held, too. */
function whileThereIsRoom(steps: readonly CauseStep[]): readonly CauseStep[] {
  const recorded = steps.filter(({ view, next }) => view.recorded !== undefined && next);
  const isHopeless = recorded.every(({ next }) => next?.state === 'held');
  let free = maxCauses - recorded.length;
  return steps.map((step) => {
    if (step.view.recorded !== undefined || step.next === undefined) return step;
    free -= 1;
    return free >= 0 ? step : { ...without(step), ready: [], isOver: isHopeless };
  });
}

function without(step: CauseStep): CauseStep {
  return { ...step, next: undefined };
}

interface Ready extends CanarySending {
  readonly isCanary: boolean;
}

function sendings({ view, next, ready }: CauseStep): readonly Ready[] {
  const isCanary = next?.state === 'trying';
  return ready.map((deadLetter) => ({ cause: view.key, deadLetter, isCanary }));
}

function canariesThenOldest(left: Ready, right: Ready): number {
  if (left.isCanary !== right.isCanary) return left.isCanary ? -1 : 1;
  return left.deadLetter.failedAt.getTime() - right.deadLetter.failedAt.getTime();
}

/** A new canary that does not fit into this batch is chosen with a later one. */
function isPostponed({ view, next }: CauseStep, started: ReadonlySet<string>): boolean {
  const isNew = next?.state === 'trying' && view.recorded?.canary !== next.canary;
  return isNew && !started.has(view.key);
}

function isHeldNow({ view, next }: CauseStep): boolean {
  return next?.state === 'held' && view.recorded?.state !== 'held';
}

/** @returns undefined when it is recorded already */
function causesRecord(steps: readonly CauseStep[]): Readonly<Record<string, Cause>> | undefined {
  const isNews = steps.some(({ view, next }) => !isSameCause(view.recorded, next));
  if (!isNews) return undefined;
  return Object.fromEntries(
    steps.flatMap(({ view, next }) => (next === undefined ? [] : [[view.key, next] as const])),
  );
}

function isSameCause(left: Cause | undefined, right: Cause | undefined): boolean {
  return left?.canary === right?.canary && left?.state === right?.state;
}
