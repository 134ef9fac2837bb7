import type { Subject } from './subject.js';
export declare function checkEarlierVersions(subject: Subject): Promise<void>;
