// Validates the endpoint URL that an administrator sets for a provider that runs elsewhere. addresses.ts checks the resolved
// addresses at connection time.
import { isIP } from 'node:net';
import { mayReceive, plainHost } from './addresses.ts';
import { caBundleProblem } from './ca-bundle.ts';

const schemes = ['http:', 'https:'];

/**
 * @param caBundle authorities as PEM in Base64
 * @returns the reason why events cannot be sent there; undefined when they can
 */
export function endpointProblem(text: string, caBundle?: string): string | undefined {
  return urlProblem(text) ?? (caBundle === undefined ? undefined : caBundleProblem(caBundle));
}

function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'The endpoint is not a URL';
  const url = new URL(text);
  if (!schemes.includes(url.protocol)) return 'The endpoint must begin with http:// or https://';
  if (url.username !== '' || url.password !== '')
    return 'The endpoint must not contain credentials';
  if (url.hash !== '') return 'The endpoint must not have a fragment';
  if (isUnspecified(url.hostname))
    return 'The endpoint must not be an unspecified address such as 0.0.0.0';
  if (isNeverReached(url.hostname)) {
    return 'The endpoint must not be a link-local or multicast address, or that of a metadata service';
  }
  if (isApiServer(url.hostname)) return 'The endpoint must not be the API server of Kubernetes';
  return undefined;
}

// Connecting to it reaches this machine.
function isUnspecified(hostname: string): boolean {
  return /^0\.\d+\.\d+\.\d+$/.test(hostname) || hostname === '[::]' || hostname === '[::ffff:0:0]';
}

/** Matches the name inside a cluster, whatever the cluster domain. */
function isApiServer(hostname: string): boolean {
  return /^kubernetes(?:\.default(?:\.svc(?:\..+)?)?)?\.?$/.test(hostname.toLowerCase());
}

function isNeverReached(hostname: string): boolean {
  const host = plainHost(hostname);
  return isIP(host) !== 0 && !mayReceive(host, { loopback: true });
}
