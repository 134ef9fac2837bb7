// Pure. Decides which child takes an event, when a child is started or ended, and what becomes of the events of one that has ended.
// Read the lists; the first rule that applies decides.
import { firstMatch } from '../../../lib/first-match.ts';

/** Suspects run in a child of their own. */
export type ChildRole = 'serving' | 'quarantine';

export interface ChildView {
  /** Grows: of two children, the newer one has the greater. */
  readonly id: number;
  readonly role: ChildRole;
  /** `ending`: a handler has ended the process, which waits for the others. `leaving`: it was told to end, or killed. */
  readonly phase: 'starting' | 'ready' | 'ending' | 'leaving';
  /** How long it has been in this phase. */
  readonly phaseMs: number;
  /** For how long its event loop has not turned. */
  readonly blockedMs: number;
  /** Events in it. */
  readonly events: number;
  /** How long all of its events have ignored that their signals are aborted. */
  readonly ignoringMs: number;
  /** Since when it takes no more events, because there is a newer one. */
  readonly supersededMs: number;
  /** The settings have changed since it was started. */
  readonly isOutdated: boolean;
}

export interface PoolView {
  readonly children: readonly ChildView[];
  /** Events that wait for the quarantine. */
  readonly suspects: number;
  /** How long no child may be started, because the last ones ended by themselves. */
  readonly holdMs: number;
  /** A child whose event loop has not turned for this long is killed. */
  readonly hangMs: number;
  readonly isStopping: boolean;
}

export type Step =
  | { readonly do: 'start'; readonly role: ChildRole }
  /** Ends a child that has no events. */
  | { readonly do: 'stop'; readonly child: number }
  /** Ends a child for the place that it takes, or for its handlers, which do not end. */
  | { readonly do: 'kill'; readonly child: number }
  /** Finds the event that blocks a child, and kills it. */
  | { readonly do: 'judge'; readonly child: number };

/** A child whose event loop has not turned for this long gets no events. */
export const blockedMs = 1_000;
/** A child whose event loop has not turned for this long is killed, unless its provider declares another limit. */
export const hangMs = 10_000;
/** `check` and `start` have this time together. */
const startMs = 60_000;
/** Events in a child that takes no more have this time at least, when its place is needed. */
const roomMs = 30_000;
/** Handlers have this time after their signals are aborted, where others wait for them. */
const ignoringMs = 5_000;
const maxChildren = 2;

/** @returns the child that takes the next event */
export function receiver(children: readonly ChildView[]): ChildView | undefined {
  return children
    .filter(({ role, phase }) => role === 'serving' && phase === 'ready')
    .filter((child) => child.blockedMs < blockedMs)
    .toSorted((one, other) => other.id - one.id)[0];
}

/** @returns the child that takes suspects */
export function quarantine(children: readonly ChildView[]): ChildView | undefined {
  return children.find(
    (child) =>
      child.role === 'quarantine' && child.phase === 'ready' && child.blockedMs < blockedMs,
  );
}

const rules: readonly ((view: PoolView) => Step | undefined)[] = [
  judgeHang,
  killUnstartable,
  killDeaf,
  stopSuperseded,
  stopEmptyQuarantine,
  startServing,
  makeRoomForServing,
  startQuarantine,
  makeRoomForQuarantine,
];

/** @returns what to do next; undefined when there is nothing to do until something changes */
export function nextStep(view: PoolView): Step | undefined {
  return firstMatch(rules, view);
}

function judgeHang({ children, hangMs: limitMs }: PoolView): Step | undefined {
  const child = children.find((each) => isRunning(each) && each.blockedMs >= limitMs);
  return child && { do: 'judge', child: child.id };
}

function killUnstartable({ children }: PoolView): Step | undefined {
  const child = children.find(({ phase, phaseMs }) => phase === 'starting' && phaseMs >= startMs);
  return child && { do: 'kill', child: child.id };
}

/** In a child that others wait for, a handler that ignores its signal would hold them up for ever. */
function killDeaf({ children }: PoolView): Step | undefined {
  const isAwaited = ({ role, phase }: ChildView) => role === 'quarantine' || phase === 'ending';
  const child = children.find((each) => isAwaited(each) && each.ignoringMs >= ignoringMs);
  return child && child.phase !== 'leaving' ? { do: 'kill', child: child.id } : undefined;
}

function stopSuperseded({ children }: PoolView): Step | undefined {
  const newest = receiver(children);
  const child = children.find(
    ({ id, role, phase, events }) =>
      role === 'serving' && phase === 'ready' && events === 0 && id < (newest?.id ?? 0),
  );
  return child && { do: 'stop', child: child.id };
}

function stopEmptyQuarantine({ children, suspects }: PoolView): Step | undefined {
  const child = suspects > 0 ? undefined : quarantine(children);
  return child?.events === 0 ? { do: 'stop', child: child.id } : undefined;
}

function startServing(view: PoolView): Step | undefined {
  const mayStart = needsServing(view) && view.holdMs <= 0 && view.children.length < maxChildren;
  return mayStart ? { do: 'start', role: 'serving' } : undefined;
}

/** Suspects wait for everybody else. An outdated child goes on meanwhile. */
function makeRoomForServing(view: PoolView): Step | undefined {
  const { children, holdMs } = view;
  if (!needsServing(view) || holdMs > 0 || receiver(children) !== undefined) return undefined;
  const suspected = children.find(
    ({ role, phase }) => role === 'quarantine' && phase !== 'leaving',
  );
  return suspected === undefined ? endOldest(children) : { do: 'kill', child: suspected.id };
}

function startQuarantine(view: PoolView): Step | undefined {
  const mayStart = needsQuarantine(view) && view.children.length < maxChildren;
  return mayStart ? { do: 'start', role: 'quarantine' } : undefined;
}

function makeRoomForQuarantine(view: PoolView): Step | undefined {
  return needsQuarantine(view) ? endOldest(view.children) : undefined;
}

function needsServing({ children, isStopping }: PoolView): boolean {
  if (isStopping) return false;
  return !children.some(
    (child) =>
      child.role === 'serving' &&
      !child.isOutdated &&
      (child.phase === 'starting' || (child.phase === 'ready' && child.blockedMs < blockedMs)),
  );
}

function needsQuarantine(view: PoolView): boolean {
  const { children, suspects, holdMs, isStopping } = view;
  if (suspects === 0 || holdMs > 0 || isStopping || needsServing(view)) return false;
  return !children.some(
    ({ role, phase }) => role === 'quarantine' && (phase === 'starting' || phase === 'ready'),
  );
}

/** The events of a child that takes no more have had their time. One that is blocked has its own limit: it would block the next child, too. */
function endOldest(children: readonly ChildView[]): Step | undefined {
  const child = children.find(
    ({ phase, phaseMs, supersededMs, ...each }) =>
      phase !== 'leaving' &&
      each.blockedMs < blockedMs &&
      (supersededMs >= roomMs || (phase === 'ending' && phaseMs >= roomMs)),
  );
  return child && { do: 'kill', child: child.id };
}

function isRunning({ phase }: ChildView): boolean {
  return phase === 'ready' || phase === 'ending';
}

export interface EndedEvent {
  readonly id: number;
  /** Its handler was called. */
  readonly isBegun: boolean;
  /** Its signal is aborted. */
  readonly isAborted: boolean;
}

export interface ChildEnd {
  readonly events: readonly EndedEvent[];
  /** Ended by the supervisor for no fault of its events. */
  readonly isOurs: boolean;
  /** The event that blocked the event loop. */
  readonly culprit?: number | undefined;
}

/** `again`: another child runs it. `interrupted`: it is answered so; its time is over, or nobody waits. */
export type Verdict = 'again' | 'suspect' | 'culprit' | 'interrupted';

/** @returns what becomes of an event whose child has ended without its answer */
export function verdict(event: EndedEvent, { events, isOurs, culprit }: ChildEnd): Verdict {
  if (event.id === culprit) return 'culprit';
  const isInnocent = !event.isBegun || isOurs || culprit !== undefined;
  if (!isInnocent && events.filter(({ isBegun }) => isBegun).length === 1) return 'culprit';
  if (event.isAborted) return 'interrupted';
  return isInnocent ? 'again' : 'suspect';
}

// The end of a child that the supervisor did not want.

interface Blame {
  /** One of the events in it is the culprit. */
  readonly isBlamed: boolean;
  /** A handler has ended it, and was answered so before it was gone. */
  readonly hasBlamed: boolean;
}

/** @returns whether no answer shows it */
export function isUnblamed({ isBlamed, hasBlamed }: Blame): boolean {
  return !isBlamed && !hasBlamed;
}

/** @returns whether it ended by itself: in an ending child, a handler has done it */
export function endedAlone({ events, phase }: Pick<ChildView, 'events' | 'phase'>): boolean {
  return events === 0 && (phase === 'starting' || phase === 'ready');
}

/** @returns the largest heap of a child, in MiB: two have room in a pod, beside the supervisor */
export function heapMi(limitMi: number): number {
  return Math.max(32, Math.floor((limitMi - 64) / 2));
}
