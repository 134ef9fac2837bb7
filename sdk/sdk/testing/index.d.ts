export type { TypeCase } from './case.js';
export { type CheckOptions, checkType, testProvider } from './check.js';
export type { ContractCase, ObservedResource } from './contract/index.js';
export { schemaProblems } from './contract/schemas.js';
export { type Kit, type KitOptions, testKit } from './kit/index.js';
export type { Applied, Deleted, KitResource, Late, ObservedChange, ObservedObject, Refused, ResourceSettings, StoredValues, } from './kit/kit-resource.js';
export type { LogLine } from './kit/log.js';
