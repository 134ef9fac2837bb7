import type { Subject } from './subject.js';
export declare function checkReplacement({ resource, found, given }: Subject): Promise<void>;
