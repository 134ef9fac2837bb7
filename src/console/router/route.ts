// The address of a page is the part after `#`, which browsers do not send: names of resources stay out of the logs of proxies.
import { signal } from '@preact/signals';
import type { PageName } from '../pages/index.ts';
import { type PageRoute, routeOf } from './address.ts';

export type Query = Readonly<Record<string, string | undefined>>;

/** @example hrefTo('resource', ['postgres', 'database', 'orders'], { show: 'history' }) */
export function hrefTo(page: PageName, path: readonly string[] = [], query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, value);
  }
  const search = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  return `#/${[page, ...path].map(encodeURIComponent).join('/')}${search}`;
}

export const route = signal<PageRoute>(routeOf(location.hash));

/** Asked before another page opens; false stays here. */
let mayLeave = () => true;

export function askBeforeLeaving(ask: () => boolean): () => void {
  mayLeave = ask;
  return () => {
    mayLeave = () => true;
  };
}

let shown = location.hash;

window.addEventListener('hashchange', () => {
  if (location.hash === shown) return;
  const next = routeOf(location.hash);
  const { page, path } = route.value;
  const isSamePage = next.page === page && next.path.join('/') === path.join('/');
  if (!isSamePage && !mayLeave()) {
    history.replaceState(null, '', shown === '' ? '#/resources' : shown);
    return;
  }
  shown = location.hash;
  route.value = next;
});

export function goTo(href: string): void {
  location.hash = href;
}

/** Changes parts of the query of the page, without a step in the history: for filters. Undefined and empty values are removed. */
export function setQuery(changes: Query): void {
  const { page, path, query } = route.value;
  const merged: Query = { ...Object.fromEntries(query), ...changes };
  const href = hrefTo(page, path, merged);
  history.replaceState(null, '', href);
  shown = location.hash;
  route.value = routeOf(href);
}
