// Loads the code of a page when it is opened, and that of the others when there is time.
import { signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { ErrorBox } from '../components/error-box.tsx';
import { Loading } from '../components/state.tsx';
import { isConnected } from '../live/connection.ts';
import { type PageName, pageNames, pages } from '../pages/index.ts';
import { text } from '../text.ts';

/** Undefined: not yet. */
const loaded = signal<Partial<Record<PageName, FunctionComponent | 'failed'>>>({});

async function loadPage(name: PageName): Promise<void> {
  if (typeof loaded.peek()[name] === 'function') return;
  const page = await pages[name].load().catch(() => 'failed' as const);
  loaded.value = { ...loaded.peek(), [name]: page };
}

/** Milliseconds after the first page, whose requests go first. */
const laterMs = 1_500;

export function Page({ name }: { readonly name: PageName }) {
  // Also when a lost connection is back. Some browsers keep the failure of a file until the next reload (whatwg/html#6768), and
  // after an update of the server the files have other names.
  useEffect(() => void loadPage(name), [name, isConnected.value]);
  useEffect(() => {
    const timer = setTimeout(() => void Promise.all(pageNames.map(loadPage)), laterMs);
    return () => clearTimeout(timer);
  }, []);
  const Loaded = loaded.value[name];
  if (Loaded === undefined) return <Loading />;
  if (Loaded !== 'failed') return <Loaded />;
  const reason = text(isConnected.value ? 'error.reload' : 'error.no-answer');
  return <ErrorBox error={new Error(reason)} />;
}
