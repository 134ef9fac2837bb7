import type { HandlerLog } from '../call.js';
export declare const silent: HandlerLog;
