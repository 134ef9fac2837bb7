import type { ContractSubject } from './subject.js';
export declare function checkOrganizations(subject: ContractSubject): Promise<void>;
export declare function checkProjects(subject: ContractSubject): Promise<void>;
