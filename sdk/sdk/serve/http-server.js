// The HTTP servers of a provider: where they listen, requests as bytes and answers as JSON.
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { Refusal } from './refusal.js';
// Two configs, outputs and a context, with room for escapes.
const bodyLimitBytes = 4 * 1_048_576;
/** @returns the servers to listen; the first is the one for events */
export function serversFor({ port = 8080, tls }, handle) {
    if (tls === undefined)
        return [{ server: createServer(handle), port }];
    const { cert, key, port: securePort } = tls;
    const server = createSecureServer({ cert, key, minVersion: 'TLSv1.3' }, handle);
    if (securePort === undefined)
        return [{ server, port }];
    return [
        { server, port: securePort },
        { server: createServer(handle), port },
    ];
}
/** @returns the port of the first. @throws the error of `listen`; none listens then */
export async function allListening(servers, host) {
    try {
        const [first = 0] = await Promise.all(servers.map(({ server, port }) => listening(server, { host, port })));
        return first;
    }
    catch (thrown) {
        await closeAll(servers);
        throw thrown;
    }
}
export async function closeAll(servers) {
    const closed = servers.map(({ server }) => new Promise((resolve) => server.close(() => resolve())));
    for (const { server } of servers)
        server.closeIdleConnections();
    await Promise.all(closed);
}
export async function answer(req, res, run) {
    const { method, url } = req;
    if (isProbe(req, '/livez') || isProbe(req, '/readyz'))
        return writeJson(res, 200, {});
    if (method !== 'POST' || url !== '/') {
        return writeJson(res, 404, {
            error: { code: 'not_found', message: 'Send events with POST /' },
        });
    }
    try {
        const { status, body, retryAfter } = await run();
        if (retryAfter !== undefined)
            res.setHeader('retry-after', retryAfter);
        writeJson(res, status, body);
    }
    catch (thrown) {
        const refusal = thrown instanceof Refusal ? thrown : undefined;
        const { status = 500, code = 'runtime_error', message = 'The runtime failed' } = refusal ?? {};
        if (refusal?.retryAfter !== undefined)
            res.setHeader('retry-after', refusal.retryAfter);
        writeJson(res, status, { error: { code, message } });
    }
}
export function isProbe({ method, url }, path) {
    return method === 'GET' && url === path;
}
export function writeJson(res, status, body) {
    const text = JSON.stringify(body);
    res.writeHead(status, { 'content-type': 'application/json' }).end(text);
}
export async function readBody(req) {
    const chunks = [];
    let size = 0;
    for await (const chunk of req) {
        size += chunk.length;
        if (size > bodyLimitBytes)
            throw new Refusal(413, 'too_large', 'The event is too large');
        chunks.push(chunk);
    }
    return Buffer.concat(chunks);
}
function listening(server, address) {
    return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(address, () => {
            server.off('error', reject);
            resolve(server.address().port);
        });
    });
}
