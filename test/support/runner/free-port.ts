// Picks a port for a process that starts soon. The kernel also uses its ephemeral range for connections, so such a port may
// be taken by then; a port below that range is taken only on explicit request.
import { once } from 'node:events';
import { createServer } from 'node:net';

const lowest = 20_000;
/** Linux starts at 32,768 (ip_local_port_range), macOS and IANA at 49,152. */
const range = 12_000;

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = lowest + Math.floor(Math.random() * range);
    if (await isFree(port)) return port;
  }
  throw new Error('No port is free');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
