// Names every kind that Fairlead stores. Pure: descriptions of kinds are checked by it.

/** Tables with an entry for every kind are checked by these words. */
export const kindNames = [
  'Organization',
  'Project',
  'ResourceDefinition',
  'Resource',
  'Provider',
  'Build',
] as const;
export type KindName = (typeof kindNames)[number];
