import type { ContractSubject } from './subject.js';
export declare function checkEarlierVersions(subject: ContractSubject): Promise<void>;
