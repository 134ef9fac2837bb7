// Explains a missing answer: the failure and the address, in words that a person can act on. Never includes the path of a
// URL, which may hold a token.
import { errors } from 'undici';
import type { FailureCode } from '../domain/failures/failure-codes.ts';
import { clean } from '../lib/text.ts';
import { ForbiddenAddress } from './addresses.ts';
import type { Failure } from './protocol.ts';

interface UnansweredRequest {
  readonly url: string;
  /** The time that has passed without a whole answer. */
  readonly timedOutMs?: number;
  /** The time that has passed without any sign that the handler runs. */
  readonly quietMs?: number;
  /** The name that its certificate must have, when that is not the host of the URL. */
  readonly serverName?: string | undefined;
}

const notConnected: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ERR_INVALID_URL: 'the endpoint is not a URL',
};
const broken: Readonly<Record<string, string>> = {
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'it does not support TLS 1.3',
};
const untrusted = 'is not signed by a trusted authority';
const refusedCertificates: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_SIGNATURE_FAILURE: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  INVALID_PURPOSE: 'is not one for servers',
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
};

/** @returns a substitute for the missing answer */
export function noAnswer(
  thrown: unknown,
  { url, serverName, timedOutMs, quietMs }: UnansweredRequest,
): Failure {
  const at = `at ${originText(url)}`;
  if (timedOutMs !== undefined) {
    const message = `The provider ${at} did not answer within ${timedOutMs / 1_000} s`;
    return unanswered('TIMEOUT', message);
  }
  if (quietMs !== undefined) {
    const message = `The provider ${at} sent nothing for ${quietMs / 1_000} s, neither an answer nor a 102 that shows that its handler runs`;
    return unanswered('TIMEOUT', message);
  }
  if (thrown instanceof ForbiddenAddress) {
    // Without the address that was found: the resolver of a cluster knows names that tenants must not learn.
    const message = `The provider ${at} was not called, because its address receives no events; change the endpoint, or correct the name in DNS`;
    return unanswered('FORBIDDEN_ADDRESS', message);
  }
  const code = codeOf(thrown);
  const cause =
    thrown instanceof errors.ConnectTimeoutError ? 'connection timed out' : notConnected[code];
  if (cause !== undefined) {
    return unanswered('UNREACHABLE', `The connection to the provider ${at} failed: ${cause}`);
  }
  const refused = refusedCertificates[code];
  if (refused !== undefined) {
    const expected = serverName ?? new URL(url).hostname;
    const message = `The certificate of the provider ${at} ${refused}${certificateNames(thrown)}; expected one for ${expected}`;
    return unanswered('CERTIFICATE_REFUSED', message);
  }
  const how = broken[code] === undefined ? '' : `: ${broken[code]}`;
  const message = `The connection to the provider ${at} was lost before it answered${how}`;
  return unanswered('CONNECTION_LOST', message);
}

/** @returns scheme, host and port */
export function originText(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'its endpoint';
}

/** @returns who answered instead, cleaned for display */
function certificateNames(thrown: unknown): string {
  const { cert } = (thrown ?? {}) as { cert?: { subjectaltname?: unknown } };
  const names = typeof cert?.subjectaltname === 'string' ? clean(cert.subjectaltname, 200) : '';
  return names === '' ? '' : ` (${names})`;
}

function codeOf(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function unanswered(code: FailureCode, message: string): Failure {
  return { kind: 'failed', terminal: false, unanswered: true, code, message };
}
