// Scrapes the metrics of a service that a test started.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export function scrapedFrom(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  request({ host: '127.0.0.1', port, path: '/metrics', agent: false }, (answer) => {
    void text(answer).then(resolve, reject);
  })
    .on('error', reject)
    .end();
  return promise;
}
