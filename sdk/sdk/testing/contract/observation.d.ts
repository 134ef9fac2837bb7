import type { Subject } from './subject.js';
export declare function checkObservation(subject: Subject): Promise<void>;
