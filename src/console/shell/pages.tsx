// Loads the code of a page when it is opened, and that of the others when there is time.
import { signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { ErrorBox } from '../components/error-box.tsx';
import { Loading } from '../components/state.tsx';
import { isConnected } from '../live/connection.ts';
import { type PageName, pages } from '../router/route.ts';
import { text } from '../text.ts';

const load: Readonly<Record<PageName, () => Promise<FunctionComponent>>> = {
  resources: async () => (await import('../pages/resources/page.tsx')).ResourcesPage,
  resource: async () => (await import('../pages/resource/page.tsx')).ResourcePage,
  providers: async () => (await import('../pages/providers/page.tsx')).ProvidersPage,
  'dead-letters': async () => (await import('../pages/dead-letters/page.tsx')).DeadLettersPage,
  types: async () => (await import('../pages/resource-types/page.tsx')).TypesPage,
};

const loaded = signal<Partial<Record<PageName, FunctionComponent>>>({});
const failed = signal(false);

async function loadPage(name: PageName): Promise<void> {
  if (loaded.value[name] !== undefined) return;
  try {
    const page = await load[name]();
    loaded.value = { ...loaded.value, [name]: page };
  } catch {
    // The files of the console have other names after an update of the server.
    failed.value = true;
  }
}

/** Milliseconds after the first page, whose requests go first. */
const laterMs = 1_500;

export function Page({ name }: { readonly name: PageName }) {
  // Also when a lost connection is back.
  useEffect(() => void loadPage(name), [name, isConnected.value]);
  useEffect(() => {
    const timer = setTimeout(() => void Promise.all(pages.map(loadPage)), laterMs);
    return () => clearTimeout(timer);
  }, []);
  const Loaded = loaded.value[name];
  if (Loaded !== undefined) return <Loaded />;
  if (!failed.value) return <Loading />;
  const reason = text(isConnected.value ? 'error.updated' : 'error.no-answer');
  return <ErrorBox error={new Error(reason)} />;
}
