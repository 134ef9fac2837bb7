import type { ContractSubject } from './subject.js';
export declare function checkReplacement({ resource, found, given }: ContractSubject): Promise<void>;
