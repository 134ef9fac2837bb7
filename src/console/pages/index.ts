// The pages: path, title, key, rights and code of each. Their order is that of the navigation.
import type { FunctionComponent } from 'preact';
import type { ProtectedId } from '../../api/operations.ts';
import type { TextKey } from '../text.ts';

interface PageEntry {
  readonly load: () => Promise<FunctionComponent>;
  /** Absent for a page that is opened from another. */
  readonly link?: {
    readonly title: TextKey;
    /** Pressed after `g`. */
    readonly key: string;
    /** The page is offered to those who may call it. */
    readonly shows: ProtectedId;
  };
  /** The page whose link is marked while this one is open. */
  readonly within?: string;
}

type Loaded = Promise<FunctionComponent>;

/** By the first part of the address. */
export const pages = {
  resources: {
    link: { title: 'resources.title', key: 'r', shows: 'listResources' },
    load: async (): Loaded => (await import('./resources/page.tsx')).ResourcesPage,
  },
  resource: {
    within: 'resources',
    load: async (): Loaded => (await import('./resource/page.tsx')).ResourcePage,
  },
  sets: {
    link: { title: 'sets.title', key: 's', shows: 'listSets' },
    load: async (): Loaded => (await import('./sets/page.tsx')).SetsPage,
  },
  providers: {
    link: { title: 'providers.title', key: 'p', shows: 'listProviders' },
    load: async (): Loaded => (await import('./providers/page.tsx')).ProvidersPage,
  },
  'dead-letters': {
    link: { title: 'dead-letters.title', key: 'd', shows: 'listDeadLetters' },
    load: async (): Loaded => (await import('./dead-letters/page.tsx')).DeadLettersPage,
  },
  types: {
    link: { title: 'types.title', key: 't', shows: 'listTypes' },
    load: async (): Loaded => (await import('./resource-types/page.tsx')).TypesPage,
  },
  // The page of an address that no other has. A file of its own would cost each page 400 bytes, as the files that they share are cut more.
  unknown: {
    load: async (): Loaded => (await import('./resources/page.tsx')).UnknownPage,
  },
} as const satisfies Readonly<Record<string, PageEntry>>;

export type PageName = keyof typeof pages;

export const pageNames = Object.keys(pages) as readonly PageName[];

/** The pages with a link, in the order of the navigation. */
export const linkedPages = Object.entries<PageEntry>(pages).flatMap(([name, { link }]) =>
  link === undefined ? [] : [{ name: name as PageName, ...link }],
);

/** @returns the page whose link is marked while a page is open */
export function linkOf(name: PageName): string {
  const { within }: PageEntry = pages[name];
  return within ?? name;
}
