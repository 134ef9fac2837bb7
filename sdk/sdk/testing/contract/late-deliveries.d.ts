import type { ContractSubject } from './subject.js';
export declare function checkLateDeliveries(subject: ContractSubject): Promise<void>;
