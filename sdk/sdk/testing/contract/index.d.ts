import { type ContractCase, type ContractKit } from './subject.js';
export type { ContractCase, ContractKit, ObservedResource } from './subject.js';
/** @throws AggregateError with one Error for each broken promise */
export declare function contract(kit: ContractKit, typeName: string, given: ContractCase): Promise<void>;
