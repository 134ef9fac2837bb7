// Tells administrators about settings that have a new name.
import type { Log } from '../lib/log.ts';
import type { Config } from './config/index.ts';

export function noteFormerNames({ formerNames }: Config, log: Log): void {
  for (const { name, now } of formerNames) {
    log.warn(
      { setting: name, now },
      'A setting has a new name; the former one is read until 0.3.0',
    );
  }
}
