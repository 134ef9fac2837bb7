// Private npm registries of an organization: their scope, their address, and the object names that store and workloads share.
import { isLoopback } from '../../lib/loopback.ts';

/** A scope of npm, of characters that keys of Secrets may have, too. */
export const scopePattern = /^@[a-z0-9][a-z0-9._-]{0,62}$/;

/** The form of tokens; nothing in it ends a line or a value of an `.npmrc`, or names a variable. */
export const registryTokenPattern = /^[A-Za-z0-9._~+/=:-]+$/;

/** The name of the Secret with the tokens and of the ConfigMap with what may be shown, in the namespace of an organization. */
export const registriesName = 'fairlead-registries';

/** @returns what is wrong with the address of a registry; undefined for a good one */
export function registryUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL';
  const url = new URL(text);
  const { protocol, username, password, search, hash } = url;
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(url))) {
    return 'must begin with https:// (http:// only on this machine)';
  }
  if (username !== '' || password !== '')
    return 'must have no user and password; the token is separate';
  if (search !== '' || hash !== '') return 'must have no query and no fragment';
  // The text itself is tested: parsing a URL drops line breaks, which would begin another line of an .npmrc.
  return /^[A-Za-z0-9._~/%:[\]-]+$/.test(text)
    ? undefined
    : 'may have letters, digits and the characters . _ ~ / % : [ ] - only';
}

/** @returns the lines of an `.npmrc` for one registry */
export function npmrcOf(scope: string, url: string, token: string): string {
  const { host, pathname } = new URL(url);
  const place = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return `${scope}:registry=${url}\n//${host}${place}:_authToken=${token}\n`;
}
