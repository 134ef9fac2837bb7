// Protects a loopback listener from web pages: a page can send requests to any local port, and its site can resolve a name
// of its own to 127.0.0.1 (DNS rebinding). No response has CORS headers; these requests are not even processed.

import type { EarlyRefusal } from './early-refusal.ts';

/** The names by which a browser reaches this machine, whatever port is forwarded to the listener. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * @param headers the raw Host and Origin of the request
 * @param hosts names of the listener, without a port
 * @param scheme of the listener
 * @returns the reason to reject the request: its host does not match, or a page of another origin sent it
 */
export function crossOriginRefusal(
  {
    host = '',
    origin,
  }: { readonly host?: string | undefined; readonly origin?: string | undefined },
  hosts: readonly string[],
  scheme: 'http' | 'https' = 'http',
): EarlyRefusal | undefined {
  if (!hosts.includes(hostName(host))) {
    return {
      status: '421 Misdirected Request',
      detail: `The Host header does not match this server; use ${hosts.join(', ')}`,
      code: 'misdirected_request',
    };
  }
  if (origin === undefined || origin === `${scheme}://${host}`) return undefined;
  return {
    status: '403 Forbidden',
    detail: 'The Origin header does not match this server; cross-origin requests are rejected',
    code: 'cross_origin',
  };
}

function hostName(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}
