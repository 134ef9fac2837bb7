// Runs one probe of a container: HTTP, TCP or a command. It returns the reason of a failure, or undefined.
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { Container, Probe } from './pod.ts';

export interface ProbeTarget {
  readonly container: Container;
  readonly ip: string;
  /**
   * Runs a command in the container's environment. @returns its exit code and output; throws when it times out
   */
  exec(command: readonly string[], timeoutMs: number): Promise<{ code: number; output: string }>;
}

export async function probeOnce(probe: Probe, target: ProbeTarget): Promise<string | undefined> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1_000;
  try {
    if (probe.httpGet !== undefined) return await overHttp(probe.httpGet, target, timeoutMs);
    if (probe.tcpSocket !== undefined) return await overTcp(probe.tcpSocket, target, timeoutMs);
    const command = probe.exec?.command ?? [];
    const { code, output } = await target.exec(command, timeoutMs);
    return code === 0 ? undefined : `command exited with ${code}: ${output.trim()}`;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

function overHttp(
  { host, port, path = '/', scheme = 'HTTP', httpHeaders = [] }: NonNullable<Probe['httpGet']>,
  target: ProbeTarget,
  timeoutMs: number,
): Promise<string | undefined> {
  const request = scheme === 'HTTPS' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const asked = request({
      host: host ?? target.ip,
      port: portNumber(port, target.container),
      path: path.startsWith('/') ? path : `/${path}`,
      headers: Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value])),
      agent: false,
      // A kubelet does not verify certificates of probes either.
      rejectUnauthorized: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    asked.once('response', (response) => {
      const { statusCode = 0 } = response;
      response.on('error', () => undefined).resume();
      const well = statusCode >= 200 && statusCode < 400;
      resolve(well ? undefined : `HTTP probe failed with statuscode: ${statusCode}`);
    });
    asked.on('error', reject);
    asked.end();
  });
}

function overTcp(
  { host, port }: NonNullable<Probe['tcpSocket']>,
  target: ProbeTarget,
  timeoutMs: number,
): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: host ?? target.ip,
      port: portNumber(port, target.container),
    });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('connection timed out')));
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', reject);
  });
}

function portNumber(port: number | string, { ports = [] }: Container): number {
  if (typeof port === 'number') return port;
  const named = ports.find(({ name }) => name === port)?.containerPort ?? Number(port);
  if (Number.isInteger(named)) return named;
  throw new Error(`the container has no port ${port}`);
}
