// The arguments that name a provider.
import type { Argument } from '../command.ts';

export const provider: Argument = { name: 'PROVIDER', about: 'A provider', completes: 'provider' };
export const ownProvider: Argument = {
  ...provider,
  about: 'A provider; by default that of the working folder',
  optional: true,
};
