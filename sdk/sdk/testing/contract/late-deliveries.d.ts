import type { Subject } from './subject.js';
export declare function checkLateDeliveries(subject: Subject): Promise<void>;
