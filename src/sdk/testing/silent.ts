// The log of handlers whose test has none.
import type { HandlerLog } from '../call.ts';

export const silent: HandlerLog = { debug() {}, info() {}, warn() {}, error() {} };
