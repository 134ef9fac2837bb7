// Serves metrics on a separate port. Scraping needs no token, and an API token gives no access to metrics of other tenants.
import type { RequestListener } from 'node:http';
import type { Log } from '../lib/log.ts';

interface MetricsAppDeps {
  readonly scrape: () => Promise<string>;
  readonly contentType: string;
  readonly log: Log;
}

export function createMetricsApp({ scrape, contentType, log }: MetricsAppDeps): RequestListener {
  return async (req, res) => {
    if (req.url?.split('?', 1)[0] !== '/metrics') {
      res.writeHead(404).end();
    } else if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { allow: 'GET, HEAD' }).end();
    } else {
      try {
        const text = await scrape();
        res.writeHead(200, { 'content-type': contentType }).end(text);
      } catch (thrown) {
        log.error({ error: thrown }, 'Collecting metrics failed');
        res.writeHead(500).end();
      }
    }
  };
}
