import type { Subject } from './subject.js';
export declare function checkTogether({ resource, found, given }: Subject): Promise<void>;
