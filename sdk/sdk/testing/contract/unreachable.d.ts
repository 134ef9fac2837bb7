import type { ContractSubject } from './subject.js';
export declare function checkUnreachable(subject: ContractSubject): Promise<void>;
