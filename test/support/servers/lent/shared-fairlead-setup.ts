// Lends the shared Fairleads of a run to the files that ask for one. Loaded by vitest.
import type { TestProject } from 'vitest/node';
import { writeConsole } from '../../../../packaging/console.ts';
import { writeSdk } from '../../../../packaging/sdk.ts';
import { Fairlead } from '../fairlead.ts';
import { startNpmRegistry } from '../npm-registry.ts';
import { lend } from './on-demand.ts';
import { type SharedSettings, sharedSettings } from './shared-fairlead.ts';

/** @returns what stops them */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  // What they serve is what the sources are.
  writeSdk();
  await writeConsole();
  await using stack = new AsyncDisposableStack();
  const registry = stack.use(await startNpmRegistry());
  provide('npmRegistry', registry.url);
  const lender = stack.use(
    await lend(async (settings) => {
      const env = { ...sharedSettings[settings as SharedSettings] };
      const fairlead = await Fairlead.start({
        env: { ...env, FAIRLEAD_NPM_REGISTRY: registry.url },
      });
      return { place: fairlead.place, stop: () => fairlead.destroy() };
    }),
  );
  provide('sharedFairlead', lender.url);
  const running = stack.move();
  return () => running.disposeAsync();
}
