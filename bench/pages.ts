// Measures pages of 50 and whole lists of one organization, through Fairlead and through a bare client.
import { request } from '../test/support/servers/fairlead.ts';
import { inParallel, median } from './measure.ts';
import type { RawClient } from './setup/raw.ts';

const pageSize = 50;
const samples = 40;
const readers = 10;
const pagesOfAll = 300;

export interface Pages {
  /** Milliseconds of a page behind the first. */
  middle(): Promise<number>;
  /** Of ten readers at once. */
  perSecond(): Promise<number>;
}

interface Reader {
  readonly url: string;
  readonly token: string;
}

export function pagesOf({ url, token }: Reader): Pages {
  const get = (path: string) => request(`${url}${path}`, { method: 'GET', token });
  const first = `/resources/?limit=${pageSize}`;
  return {
    async middle() {
      const { headers } = await get(first);
      const next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
      return await medianMs(async () => {
        const { status, body } = await get(next);
        if (status !== 200 || (body as readonly unknown[]).length !== pageSize)
          throw new Error(`a page is answered ${status}`);
      });
    },
    async perSecond() {
      const startedAt = performance.now();
      await inParallel(pagesOfAll, readers, async () => {
        await get(first);
      });
      return (pagesOfAll * 1_000) / (performance.now() - startedAt);
    },
  };
}

/** @param path of the resources of an organization in the API server @returns milliseconds of a page behind the first */
export async function rawPageMs(path: string, raw: RawClient): Promise<number> {
  const first = (await raw.send('GET', `${path}?limit=${pageSize}`)) as {
    readonly metadata: { readonly continue: string };
  };
  const next = `${path}?limit=${pageSize}&continue=${encodeURIComponent(first.metadata.continue)}`;
  return await medianMs(() => raw.send('GET', next));
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < samples; at += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
