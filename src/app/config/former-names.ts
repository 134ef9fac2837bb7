// Tells administrators about settings that have a new name.
import { formerNamesEnd } from '../../domain/former-names.ts';
import type { Log } from '../../lib/log.ts';
import type { Config } from './index.ts';

export function noteFormerNames({ formerNames }: Config, log: Log): void {
  for (const { name, now } of formerNames) {
    log.warn(
      { setting: name, now, until: formerNamesEnd },
      'A setting has a new name; the former one will not be read any more',
    );
  }
}
