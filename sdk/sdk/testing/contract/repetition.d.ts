import type { ContractSubject } from './subject.js';
export declare function checkRepetition(subject: ContractSubject): Promise<void>;
