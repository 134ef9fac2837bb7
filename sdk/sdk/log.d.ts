import type { HandlerLog } from './define.js';
export declare const jsonLines: HandlerLog;
