// Conditions, true to kstatus: Ready, Reconciling and Stalled mean to Flux, Argo CD, Helm and `kubectl wait` what they mean here.
// Ready: positive, present unless the object is a draft. Reconciling and Stalled: abnormal-true, present only while true.
// Draft: present only while true. DeadLettered: abnormal-true, present only while a dead letter explains the failure.
// Suspended: abnormal-true, present only while an organization is. ForeignGuards: abnormal-true, present only while the namespace of an
// organization has a RoleBinding or NetworkPolicy that Fairlead did not create. ClockSkew: abnormal-true, present only while a provider
// answers that its clock and that of Fairlead differ.
import { z } from 'zod';
import { type ConditionType, conditionTypes } from './condition-types.ts';
import { dateTime } from './define.ts';
import { reasons } from './reasons.ts';

export const Condition = z.object({
  type: z
    .string()
    .min(1)
    .max(316)
    .describe(
      `Type of the condition: ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(Object.keys(conditionTypes))}.`,
    ),
  status: z
    .enum(['True', 'False', 'Unknown'])
    .describe('Status of the condition: True, False or Unknown.'),
  reason: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
    .describe('Reason for the status, as a CamelCase identifier for programs.'),
  message: z
    .string()
    .max(32_768)
    .describe('Human-readable explanation of the reason. It may be empty.'),
  lastTransitionTime: dateTime.describe('Time at which the status of the condition last changed.'),
  observedGeneration: z
    .int()
    .optional()
    .describe('Generation of the object for which the condition was set.'),
});
export type Condition = z.output<typeof Condition>;

export const Conditions = z
  .array(Condition)
  .max(16)
  .describe('Conditions of the object, in the standard Kubernetes format.')
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });

/** Why an object is in its state. Event reasons are the same words. */
export const Reason = Object.fromEntries(Object.keys(reasons).map((name) => [name, name])) as {
  readonly [name in keyof typeof reasons]: name;
};
export type Reason = keyof typeof reasons;

export function isReason(word: string): word is Reason {
  return Object.hasOwn(Reason, word);
}

export interface ConditionWanted {
  readonly type: ConditionType;
  readonly status: 'True' | 'False';
  readonly reason: Reason;
  readonly message: string;
}

const messageLimit = 1_024;

/**
 * The only place that makes conditions: stamps the generation, keeps the transition time while the status stays,
 * bounds the message. Types that are not wanted disappear.
 */
export function conditions(
  wanted: readonly ConditionWanted[],
  { previous, generation, now }: { previous: readonly Condition[]; generation: number; now: Date },
): Condition[] {
  return wanted.map(({ type, status, reason, message }) => {
    const before = previous.find((condition) => condition.type === type);
    const lastTransitionTime =
      before?.status === status ? before.lastTransitionTime : now.toISOString();
    return {
      type,
      status,
      reason,
      message: message.slice(0, messageLimit),
      lastTransitionTime,
      observedGeneration: generation,
    };
  });
}

/** Reasons with which a pass that fails again and again stalls; no decision of a reconciler has them. */
const stallReasons: readonly string[] = [
  Reason.QuotaExceeded,
  Reason.NamespaceTerminating,
  Reason.Forbidden,
  Reason.Invalid,
  Reason.ReconcileFailed,
];

/** Whether an object is stalled because passes over it failed repeatedly. */
export function isStalledByFailures(all: readonly Condition[] | undefined): boolean {
  const stall = findCondition(all, 'Stalled');
  return stall !== undefined && stallReasons.includes(stall.reason);
}

/**
 * Marks an object that needs intervention: Stalled replaces Reconciling, and Ready has the same reason unless it is True.
 * @returns undefined when the conditions state it already
 */
export function stalledConditions(
  { reason, message }: { readonly reason: Reason; readonly message: string },
  stamp: { previous: readonly Condition[]; generation: number; now: Date },
): Condition[] | undefined {
  const present = findCondition(stamp.previous, 'Stalled');
  // Not compared by its sentence, which may count: each write wakes the next pass.
  if (present?.reason === reason && present.observedGeneration === stamp.generation) {
    return undefined;
  }
  const ready = findCondition(stamp.previous, 'Ready');
  const isReady = ready?.status === 'True';
  const kept = stamp.previous.filter(
    ({ type }) => type !== 'Stalled' && type !== 'Reconciling' && (type !== 'Ready' || isReady),
  );
  const notReady = { type: 'Ready', status: 'False', reason, message } as const;
  const wanted = [
    ...(isReady ? [] : [notReady]),
    ...(kept as readonly ConditionWanted[]),
    { type: 'Stalled', status: 'True', reason, message } as const,
  ];
  return conditions(wanted, stamp);
}

export function findCondition(
  all: readonly Condition[] | undefined,
  type: ConditionWanted['type'],
): Condition | undefined {
  return all?.find((condition) => condition.type === type);
}
