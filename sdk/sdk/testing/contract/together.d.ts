import type { ContractSubject } from './subject.js';
export declare function checkTogether({ resource, found, given }: ContractSubject): Promise<void>;
