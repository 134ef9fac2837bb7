// A provider in a process of its own, which tests freeze and kill. Its one type runs as long as its config says.
// Arguments: base URL of Fairlead. It prints one JSON line with its URL, and then the lines of its log.
import { setTimeout as pause } from 'node:timers/promises';
import { provider, serve, z } from '../../../src/sdk/index.ts';

const [fairlead = ''] = process.argv.slice(2);
let running = 0;
/** The highest number of handlers that ran beside each other. */
let most = 0;

const box = provider('box');
const crate = box.resource('crate', {
  description: 'A crate',
  timeoutSeconds: 20,
  config: z.object({
    /** Milliseconds of the first attempt; the others end at once. */
    ms: z.number(),
    ignoresSignal: z.boolean().default(false),
  }),
  outputs: z.object({ most: z.number() }),
  async create({ config, attempt, signal, log }) {
    running += 1;
    most = Math.max(most, running);
    log.info('begins');
    try {
      const ms = attempt === 1 ? config.ms : 0;
      await pause(ms, undefined, config.ignoresSignal ? {} : { signal });
      return { most };
    } finally {
      running -= 1;
      log.info('ends');
    }
  },
  update: () => ({ most }),
  delete: () => undefined,
});

const served = await serve(box.types(crate), { fairlead, port: 0, heartbeatMs: 200 });
process.stdout.write(`${JSON.stringify({ url: served.url })}\n`);
