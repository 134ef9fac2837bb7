import type { Subject } from './subject.js';
export declare function checkRepetition(subject: Subject): Promise<void>;
