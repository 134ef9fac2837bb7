// The types of conditions and what each means. docs/errors.md and docs/custom-resources are made from it.

export const conditionTypes = {
  Ready:
    '`True`: the object matches its spec. `False`: it does not, and the reason gives the cause.',
  Reconciling: 'Present only while Fairlead works on the object or waits for something.',
  Stalled: 'Present only while the object makes no progress without a change from outside.',
  Draft: 'Present only while the resource is a draft. A draft has no condition Ready.',
  DeadLettered:
    'Present only while a dead letter holds the failed event of a create or an update. It is removed when the resource leaves the failed state or the dead letter is deleted.',
  Suspended: 'Present only while the organization is suspended.',
  ForeignGuards:
    'Present only while the namespace has a RoleBinding or NetworkPolicy that Fairlead did not create.',
  ClockSkew:
    'Present only while a provider answers that its clock and that of Fairlead differ. The message is that of its first such answer; the next other answer removes the condition.',
  Drifted:
    'Present only while the object of a ready resource differs from its config, as last observed, or does not exist.',
  Observed:
    '`False`, and present only while a ready resource could not be observed in three intervals, or when that was last requested.',
  CorrectionsHeld:
    'Present only while corrections of resources of a provider are held, because so many objects differ or are gone that the provider may look in the wrong place.',
} as const satisfies Readonly<Record<string, string>>;

export type ConditionType = keyof typeof conditionTypes;
