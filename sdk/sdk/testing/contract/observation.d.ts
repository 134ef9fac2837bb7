import type { ContractSubject } from './subject.js';
export declare function checkObservation(subject: ContractSubject): Promise<void>;
