import type { Subject } from './subject.js';
export declare function checkOrganizations(subject: Subject): Promise<void>;
export declare function checkProjects(subject: Subject): Promise<void>;
