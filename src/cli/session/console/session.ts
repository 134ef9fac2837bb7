// Who may use the API through the server on loopback: the page whose browser opened the address of this run. It sends a key in a
// header; cookies would go to every port of this machine, also to those of other users.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { keyHeader } from '../../../client/api/key-header.ts';

/** Why a request is refused. */
interface SessionRefusal {
  readonly status: 403 | 421;
  readonly detail: string;
  readonly help: string;
}

export interface ConsoleSession {
  /** The path that works once. */
  readonly path: string;
  /** @returns the key for the browser that opens the path first, `again` for a second one, undefined for another path */
  redeem(
    path: string,
    headers: IncomingHttpHeaders,
  ): { readonly key: string } | 'again' | undefined;
  /** @returns undefined for a request with the key */
  refusalOf(headers: IncomingHttpHeaders): SessionRefusal | undefined;
}

const secretBytes = 32;

export function createConsoleSession(): ConsoleSession {
  const ticket = secret();
  const key = secret();
  let isRedeemed = false;
  return {
    path: `/${ticket}`,
    redeem(path, headers) {
      if (!isSameSecret(path.slice(1), ticket) || isPrefetch(headers)) return undefined;
      if (isRedeemed) return 'again';
      isRedeemed = true;
      return { key };
    },
    refusalOf(headers) {
      const given = headers[keyHeader];
      return typeof given === 'string' && isSameSecret(given, key) ? undefined : notOpened;
    },
  };
}

/** @returns why a request comes under another name; undefined when it does not */
export function wrongHostOf(
  { host = '' }: IncomingHttpHeaders,
  port: number,
): SessionRefusal | undefined {
  // A page of the web could reach the listener under a name of its own (DNS rebinding).
  return hostsOf(port).includes(host) ? undefined : wrongHost(port);
}

/** @returns why a request comes from a page of another site; undefined when it does not */
export function foreignOf({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders) {
  const isForeign = origin !== undefined && origin !== `http://${host}`;
  const isSent = site !== undefined && site !== 'same-origin' && site !== 'none';
  return isForeign || isSent ? otherSite : undefined;
}

/** A browser that guesses where the person goes next has not opened the address. */
function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return /prefetch/.test(`${headers['sec-purpose']} ${headers['purpose']}`);
}

function secret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

function hostsOf(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

const runAgain = 'Run "fairlead console" again, and open the address that it prints.';

const otherSite: SessionRefusal = {
  status: 403,
  detail: 'The request comes from a page of another site',
  help: runAgain,
};

const notOpened: SessionRefusal = {
  status: 403,
  detail: 'This tab has not opened the address of the console; it works once, in one tab',
  help: runAgain,
};

export const openedAgain: SessionRefusal = {
  status: 403,
  detail: 'The address was opened before, so somebody else may know it: the console has ended',
  help: runAgain,
};

function wrongHost(port: number): SessionRefusal {
  return {
    status: 421,
    detail: 'The console answers under its own address only',
    help: `Open http://127.0.0.1:${port}/.`,
  };
}

function isSameSecret(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
