// The public API of `fairlead/provider/testing`: checks the required behaviour of a provider without a cluster or network. Broken
// rules are thrown as errors, so any test runner works.
export type { TypeCase } from './case.ts';
export { type CheckOptions, checkType, testProvider } from './check.ts';
export type { ContractCase, ObservedResource } from './contract/index.ts';
export { schemaProblems } from './contract/schemas.ts';
export { type Kit, type KitListed, type KitOptions, testKit } from './kit/index.ts';
export type {
  Applied,
  Deleted,
  KitResource,
  Late,
  ObservedChange,
  ObservedObject,
  Refused,
  ResourceSettings,
  StoredValues,
} from './kit/kit-resource.ts';
export type { LogLine } from './kit/log.ts';
