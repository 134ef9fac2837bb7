// Starts the shared Fairleads of a run when a file first asks for one, and stops them after it. Loaded by vitest.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { writeConsole } from '../../../packaging/console.ts';
import { Fairlead } from './fairlead.ts';
import { startNpmRegistry } from './npm-registry.ts';
import { type SharedSettings, sharedSettings } from './shared-fairlead.ts';

/** @returns what stops them */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  // What they serve is what the sources are.
  await writeConsole();
  await using stack = new AsyncDisposableStack();
  const registry = stack.use(await startNpmRegistry());
  provide('npmRegistry', registry.url);
  const started = new Map<SharedSettings, Promise<Fairlead>>();
  stack.defer(async () => {
    await Promise.allSettled([...started.values()].map(async (each) => (await each).destroy()));
  });

  const server = createServer((request, response) => {
    const settings = (request.url ?? '').slice(1) as SharedSettings;
    const env = { ...sharedSettings[settings], FAIRLEAD_NPM_REGISTRY: registry.url };
    const fairlead = started.get(settings) ?? Fairlead.start({ env });
    started.set(settings, fairlead);
    fairlead.then(
      (running) => response.end(JSON.stringify(running.place)),
      (thrown: unknown) => response.writeHead(500).end(String(thrown)),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  stack.defer(() => server.closeAllConnections());
  stack.defer(() => void server.close());
  provide('sharedFairlead', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const running = stack.move();
  return () => running.disposeAsync();
}
