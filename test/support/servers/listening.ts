// Serves a test on a free port of this machine.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening {
  readonly url: string;
  /** Also ends open connections. A hook may return it, so that vitest calls it after the test. */
  stop(): void;
}

/** @example beforeEach(async () => { const { url, stop } = await listening(createServer(answer)); return stop; }) */
export async function listening(server: Server): Promise<Listening> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
