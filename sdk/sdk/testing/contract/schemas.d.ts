import type { Subject } from './subject.js';
export declare function checkSchemas({ kit: { provider }, registration, found }: Subject): void;
