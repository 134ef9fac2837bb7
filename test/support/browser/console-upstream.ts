// The API behind `fairlead console`, which shows the requests that it gets: no real one does.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const me = {
  organization_id: 'acme',
  organization_name: null,
  subject: 'ada',
  display: 'Ada',
  role: 'admin',
  project_id: null,
};

export class Upstream {
  readonly requests: {
    method: string;
    url: string;
    headers: IncomingMessage['headers'];
    body: string;
  }[] = [];
  hasConsole = true;
  refuses = false;
  stream: ServerResponse | undefined;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async start(): Promise<void> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    let body = '';
    for await (const part of request) body += String(part);
    this.requests.push({ method, url, headers, body });
    if (url === '/auth/me')
      return json(
        response,
        this.refuses ? 401 : 200,
        this.refuses ? { detail: 'Not authenticated', code: 'unauthenticated' } : me,
      );
    if (url === '/console' && !this.hasConsole) {
      return json(response, 404, { detail: 'Not Found', code: 'not_found' });
    }
    if (url === '/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: first\n\n');
      this.stream = response;
      return;
    }
    response.setHeader('set-cookie', 'session=of-the-api');
    response.setHeader('etag', '"7"');
    json(response, 200, { url });
  }
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
