// Shares a whole Fairlead between the end-to-end files that need no more than organizations of their own.
import { inject } from 'vitest';
import { Fairlead, type Place } from '../fairlead.ts';
import { borrow } from './on-demand.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of what lends them. */
    sharedFairlead: string;
    /** Address of the npm registry of the run. */
    npmRegistry: string;
  }
}

/** The settings of the shared ones. */
export const sharedSettings = {
  // A version takes over one second after it is ready, not ten; test/clients/crashes/provider-rollout is about that time.
  standard: { FAIRLEAD_RETRY_BASE_MS: '100', FAIRLEAD_MIN_READY_SECONDS: '1' },
  // A failure is a dead letter after two attempts, and an operation or the wait for a provider ends after three seconds.
  impatient: {
    FAIRLEAD_RETRY_BASE_MS: '100',
    FAIRLEAD_MAX_ATTEMPTS: '2',
    FAIRLEAD_OPERATION_LIMIT_MS: '3000',
  },
} as const;

export type SharedSettings = keyof typeof sharedSettings;

/** The first caller starts it. It ends after the last file of the project: do not stop it, and use organizations that no other file uses. */
export async function sharedFairlead(settings: SharedSettings): Promise<Fairlead> {
  return Fairlead.at(await borrow<Place>(inject('sharedFairlead'), settings));
}
