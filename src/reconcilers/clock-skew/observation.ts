// Tracks from answers of providers whether their clocks differ from that of Fairlead. In memory, for this term of leadership;
// each change is reported once, so that it costs one write however many events there are.

import {
  type Condition,
  type ConditionWanted,
  findCondition,
  Reason,
} from '../../crds/conditions.ts';
import type { Answer } from '../../events/protocol.ts';
import type { Key } from '../../kube/api.ts';
import type { Clock } from '../../lib/clock.ts';
import { isClockSkew } from './answer.ts';

/** The evidence of the answers of a provider about its clock. */
export interface ClockFinding {
  /** The first answer that blamed a clock; undefined when none differs. */
  readonly skew: string | undefined;
}

interface SkewedAnswer {
  readonly url: string;
  readonly answer: Answer;
  /** Returns where events of the provider can go now: the clock of a pod that has gone is none of the provider's any more. */
  readonly urls: () => readonly string[];
}

export interface ClockSkews {
  /** Records the outcome of a delivery. */
  delivered(provider: Key, answered: SkewedAnswer): void;
  /** @returns undefined before the first answer of the provider to this process */
  of(provider: Key): ClockFinding | undefined;
  /** Calls back for each provider whose finding changes. @returns a function that unsubscribes */
  onChange(listener: (provider: Key) => void): () => void;
}

/** How long a clock that was wrong counts as right: behind one address may be several, which would cost a write per answer. */
const steadyMs = 10_000;

interface SkewFinding {
  /** Answers of the pods, or of the external endpoint, whose clocks differ. */
  readonly skewed: Map<string, string>;
  finding: ClockFinding | undefined;
  recoveredAt: number;
}

export function createClockSkews({ clock }: { clock: Pick<Clock, 'monotonic'> }): ClockSkews {
  const seen = new Map<Key, SkewFinding>();
  const listeners = new Set<(provider: Key) => void>();

  function seenOf(provider: Key): SkewFinding {
    const known = seen.get(provider);
    if (known !== undefined) return known;
    const made = { skewed: new Map(), finding: undefined, recoveredAt: Number.NEGATIVE_INFINITY };
    seen.set(provider, made);
    return made;
  }

  /** The finding stays the same while a clock differs: each one names another number of seconds. */
  function find(provider: Key, one: SkewFinding): void {
    const { finding, skewed } = one;
    const [skew] = skewed.values();
    const isSame = finding !== undefined && (finding.skew === undefined) === (skew === undefined);
    const now = clock.monotonic();
    if (isSame || (skew !== undefined && now - one.recoveredAt < steadyMs)) return;
    if (finding?.skew !== undefined) one.recoveredAt = now;
    one.finding = { skew };
    for (const listener of listeners) listener(provider);
  }

  return {
    delivered(provider, answered) {
      const { answer } = answered;
      if (answer.kind === 'failed' && answer.unanswered === true) return;
      const one = seenOf(provider);
      if (isClockSkew(answer)) one.skewed.set(answered.url, answer.message);
      else clear(one.skewed, answered);
      find(provider, one);
    },
    of: (provider) => seen.get(provider)?.finding,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function clear(skewed: SkewFinding['skewed'], { url, urls }: SkewedAnswer): void {
  if (skewed.size === 0) return;
  const present = new Set(urls());
  for (const each of skewed.keys()) if (each === url || !present.has(each)) skewed.delete(each);
}

/**
 * @param finding undefined: the one of an earlier process, which the present conditions show, holds until the next answer
 * @returns the condition, if the provider is to have it
 */
export function clockSkewCondition(
  present: readonly Condition[],
  finding: ClockFinding | undefined,
): readonly ConditionWanted[] {
  const stored = findCondition(present, 'ClockSkew')?.message;
  const message = finding === undefined ? stored : finding.skew;
  if (message === undefined) return [];
  return [{ type: 'ClockSkew', status: 'True', reason: Reason.ClockSkew, message }];
}
