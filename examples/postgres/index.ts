// The package as Fairlead runs it: the provider, on the PostgreSQL that `server.json` beside this file names.
// Importing it opens no connection: the build does so, to read the types.
import { readFileSync } from 'node:fs';
import { z } from 'fairlead/provider';
import { postgres } from './provider.ts';
import type { Server } from './server.ts';

const ServerSettings = z.object({ url: z.string().min(1), secret: z.string().min(16) });

export default postgres(serverIn(new URL('server.json', import.meta.url)));

function serverIn(file: URL): Server {
  try {
    return ServerSettings.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    // Not what the parser says: it quotes the text, and the build log shows it.
    throw new Error(
      `server.json beside index.ts ${isMissing ? 'is missing' : 'cannot be used'}. ` +
        'It configures the PostgreSQL server for the databases: {"url": "postgresql://…", "secret": "16 characters or more"}',
    );
  }
}
