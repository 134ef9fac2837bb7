// `node bare-list.ts KUBECONFIG` lists all resources in pages and parses them, as an informer must at least. It prints how many
// there are, and its CPU time.
import { rawClient } from './raw.ts';

interface Page {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly unknown[];
}

const raw = rawClient(process.argv[2] ?? '');
let token = '';
let count = 0;
do {
  const query = new URLSearchParams({ limit: '500', ...(token === '' ? {} : { continue: token }) });
  const { items, metadata } = (await raw.send(
    'GET',
    `/apis/fairlead.dev/v1alpha1/resources?${query}`,
  )) as Page;
  count += items.length;
  token = metadata.continue ?? '';
} while (token !== '');
await raw.close();
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ count, cpuSeconds: (user + system) / 1_000_000 }));
