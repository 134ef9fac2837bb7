// Who may use the pages on loopback: the browser that opened the address of this run, and no page of another site.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Why a request is refused. */
export interface Refusal {
  readonly status: 403 | 421;
  readonly detail: string;
  readonly help: string;
}

export interface ConsoleSession {
  /** The path that works once. */
  readonly path: string;
  /** @returns the cookie for the browser that opens the path first; undefined afterwards, and for another path */
  redeem(path: string): string | undefined;
  /** @returns undefined for a request of that browser's page */
  refusalOf(headers: IncomingHttpHeaders, port: number): Refusal | undefined;
  /** @returns why a request comes from another site, or under another name; undefined when it does not */
  foreign(headers: IncomingHttpHeaders, port: number): Refusal | undefined;
}

const secretBytes = 32;

export function createConsoleSession(): ConsoleSession {
  const ticket = secret();
  const key = secret();
  let isRedeemed = false;
  const nameOf = (port: number) => `fairlead_console_${port}`;
  const foreign: ConsoleSession['foreign'] = (headers, port) => {
    const { host = '', origin, 'sec-fetch-site': site } = headers;
    // A page of the web could reach the listener under a name of its own (DNS rebinding).
    if (!hostsOf(port).includes(host)) return wrongHost(port);
    const isForeign = origin !== undefined && origin !== `http://${host}`;
    const isSent = site !== undefined && site !== 'same-origin' && site !== 'none';
    return isForeign || isSent ? otherSite : undefined;
  };
  return {
    path: `/${ticket}`,
    redeem(path) {
      if (isRedeemed || !isSame(path.slice(1), ticket)) return undefined;
      isRedeemed = true;
      return key;
    },
    foreign,
    refusalOf(headers, port) {
      const refusal = foreign(headers, port);
      if (refusal !== undefined) return refusal;
      return isSame(cookieIn(headers.cookie, nameOf(port)), key) ? undefined : notOpened;
    },
  };
}

/** Not `Secure`: loopback has no TLS. Cookies do not tell ports apart, so the name does. */
export function cookieHeader(port: number, key: string): string {
  return `fairlead_console_${port}=${key}; HttpOnly; SameSite=Strict; Path=/`;
}

function secret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

function hostsOf(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

const runAgain = 'Run "fairlead console" again, and open the address that it prints.';

const otherSite: Refusal = {
  status: 403,
  detail: 'The request comes from a page of another site',
  help: runAgain,
};

const notOpened: Refusal = {
  status: 403,
  detail: 'This browser has not opened the address of the console; it works once',
  help: runAgain,
};

function wrongHost(port: number): Refusal {
  return {
    status: 421,
    detail: 'The console answers under its own address only',
    help: `Open http://127.0.0.1:${port}/.`,
  };
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function cookieIn(header: string | undefined, name: string): string {
  for (const each of (header ?? '').split(';')) {
    const [key = '', value = ''] = each.trim().split('=', 2);
    if (key === name) return value;
  }
  return '';
}
