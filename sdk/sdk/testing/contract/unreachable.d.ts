import type { Subject } from './subject.js';
export declare function checkUnreachable(subject: Subject): Promise<void>;
