// Receives uploads in a process that does nothing else, so that its memory is the memory of uploads. Run it with a folder;
// it prints its port. POST receives, inspects and discards an upload; GET returns the current memory (`rss`) and the peak
// since the previous GET (`peak`), in bytes.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { receiveCode } from '../../../src/http/request/upload.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { inspectArchive } from '../../../src/providers/archive/inspect.ts';
import { openArtifactStore } from '../../../src/providers/artifacts/index.ts';

const everyMs = 5;
const [folder = ''] = process.argv.slice(2);
const store = await openArtifactStore({ kind: 'filesystem', folder }, systemClock);
let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, everyMs);

async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method === 'GET') {
    const rss = process.memoryUsage.rss();
    res.end(JSON.stringify({ rss, peak }));
    peak = rss;
    return;
  }
  const upload = await receiveCode(req, res, store);
  try {
    res.end(JSON.stringify(await inspectArchive(upload.path)));
  } finally {
    await upload.discard();
  }
}

const server = createServer((req, res) => {
  serve(req, res).catch((thrown: unknown) => {
    res.writeHead(500).end(String(thrown));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
