// Serves only /livez and /readyz, for a process that serves nothing else.
import type { RequestListener } from 'node:http';
import type { ReadinessReport } from './routes/health.ts';

export function createHealthApp(readiness: () => ReadinessReport): RequestListener {
  return (req, res) => {
    const [path] = (req.url ?? '').split('?', 1);
    const send = (status: number, body: object) =>
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (path === '/livez') {
      send(200, { status: 'ok' });
    } else if (path === '/readyz') {
      const { ready, checks } = readiness();
      send(ready ? 200 : 503, { status: ready ? 'ready' : 'unready', checks });
    } else {
      send(404, { detail: 'Not Found', code: 'not_found' });
    }
  };
}
