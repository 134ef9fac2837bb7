// Where events may be sent to: what an administrator may set as the endpoint of a provider that runs elsewhere. Where a name
// leads is looked at when a connection is made (addresses.ts).

const schemes = ['http:', 'https:'];

/** @returns why the text is no usable endpoint, as a sentence; undefined when it is one */
export function endpointProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'The endpoint is not a URL';
  const url = new URL(text);
  if (!schemes.includes(url.protocol)) return 'The endpoint must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'The endpoint must not hold credentials';
  if (url.hash !== '') return 'The endpoint must not have a fragment';
  if (isLinkLocal(url.hostname)) return 'The endpoint must not be a link-local address';
  if (isUnspecified(url.hostname)) return 'The endpoint must not be the address of no machine';
  if (isApiServer(url.hostname)) return 'The endpoint must not be the API server of Kubernetes';
  return undefined;
}

// Connecting to it reaches this machine.
function isUnspecified(hostname: string): boolean {
  return /^0\.\d+\.\d+\.\d+$/.test(hostname) || hostname === '[::]' || hostname === '[::ffff:0:0]';
}

/** As it is called inside a cluster, whatever the domain of the cluster. */
function isApiServer(hostname: string): boolean {
  return /^kubernetes(?:\.default(?:\.svc(?:\..+)?)?)?\.?$/.test(hostname.toLowerCase());
}

// Metadata services of clouds answer on link-local addresses. URL has normalised every spelling of an IPv4 address.
function isLinkLocal(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  return (
    /^169\.254\.\d+\.\d+$/.test(host) ||
    /^fe[89ab][0-9a-f]:/.test(host) ||
    // The same written as IPv6: mapped, compatible, translated.
    /^(?:::|::ffff:|::ffff:0:|64:ff9b::)a9fe:/.test(host) ||
    host === 'fd00:ec2::254'
  );
}
