// The key of `fairlead console`: it comes in the fragment of the address that the command line opens, stays in this tab, and is
// sent in a header. A cookie would go to every port of the machine.
import { keyHeader } from '../../client/api/key-header.ts';

const storedAs = 'fairlead.console-key';

/** Keeps the key of the address, and removes it from there. Only where `fairlead console` serves the pages. */
export function takeKey(): void {
  const [, key] = /^#key=([\w-]+)$/.exec(location.hash) ?? [];
  if (key === undefined) return;
  sessionStorage.setItem(storedAs, key);
  history.replaceState(null, '', '/console/');
}

/** @returns the header that lets this tab use the API; none where the API itself serves the pages */
export function keyHeaders(): Readonly<Record<string, string>> {
  const key = sessionStorage.getItem(storedAs);
  return key === null ? {} : { [keyHeader]: key };
}
