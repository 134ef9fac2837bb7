// Reads the address of a page. Pure.

import { percentDecoded } from '../../lib/text.ts';
import { type PageName, pageNames } from '../pages/index.ts';

export interface PageRoute {
  readonly page: PageName;
  /** The parts after the page, such as provider, type and name. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** @returns the route of a hash: singular and plural are the same page, and a part of a name is a filter of the resources */
export function routeOf(hash: string): PageRoute {
  const [address = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [name = '', ...parts] = address.split('/').map(percentDecoded);
  const path = parts.filter((part) => part !== '');
  const query = new URLSearchParams(search);
  const page = pageNames.find((each) => each === name || each === `${name}s`);
  if (name !== '' && page !== 'resources' && page !== 'resource') {
    return { page: page ?? 'unknown', path, query };
  }
  if (path.length > resourceParts) return { page: 'unknown', path, query };
  if (path.length === resourceParts) return { page: 'resource', path, query };
  if (path.length > 0) query.set('filter', path.join('/'));
  return { page: 'resources', path: [], query };
}

/** Provider, type and name. */
const resourceParts = 3;
