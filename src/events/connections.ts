// Connections to providers, by what their certificates must prove: pods of this installation, providers with an authority of
// their own, and all others. A connection is shared only by deliveries that demand the same of it.
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type AddressRules, guardedLookup, plainHost, type ResolveAll } from './addresses.ts';

/** Proof that a certificate must give. Without either, that a public authority signed it for the host of the URL. */
export interface Proof {
  /** For a pod: the one name that a trusted authority of this installation must have signed. */
  readonly serverName?: string | undefined;
  /** For others: the authorities that may have signed it, as PEM, instead of public ones. */
  readonly caBundle?: string | undefined;
}

interface Connections {
  /** @returns the pool, and the origin under which requests share a connection */
  to(url: URL, proof: Proof): { readonly agent: Agent; readonly origin: string };
  close(): Promise<void>;
}

interface ConnectionsOptions {
  readonly rules: AddressRules;
  readonly resolve?: ResolveAll | undefined;
  /** Authorities of this installation as PEM; another array after a change. */
  readonly authorities: () => readonly string[];
}

const connectTimeoutMs = 2_000;
const connectionsPerProvider = 64;
const maxBundles = 64;

const common = {
  allowH2: false,
  connections: connectionsPerProvider,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: 10_000,
};

export function createConnections({
  rules,
  resolve,
  authorities,
}: ConnectionsOptions): Connections {
  const connect = { timeout: connectTimeoutMs, lookup: guardedLookup(rules, resolve) };
  // A separate agent: it neither follows redirects nor reads a proxy from the environment.
  const others = new Agent({ ...common, connect });
  const byBundle = new Map<string, Agent>();
  let trusted = authorities();
  let pods = podAgent(trusted);

  function ofPods(): Agent {
    const now = authorities();
    if (now !== trusted) {
      // A connection to a pod of an authority that is no longer trusted must not stay open.
      void pods.close();
      trusted = now;
      pods = podAgent(now);
    }
    return pods;
  }

  function ofBundle(caBundle: string): Agent {
    const key = createHash('sha256').update(caBundle).digest('base64');
    const known = byBundle.get(key);
    if (known !== undefined) return known;
    const made = new Agent({ ...common, connect: { ...connect, ca: caBundle } });
    byBundle.set(key, made);
    const [oldest] = byBundle;
    if (byBundle.size > maxBundles && oldest !== undefined) {
      byBundle.delete(oldest[0]);
      void oldest[1].close();
    }
    return made;
  }

  return {
    to(url, { serverName, caBundle }) {
      if (serverName !== undefined) return { agent: ofPods(), origin: originOf(url, serverName) };
      const agent = caBundle === undefined ? others : ofBundle(caBundle);
      return { agent, origin: url.origin };
    },
    async close() {
      await Promise.all([others, pods, ...byBundle.values()].map((each) => each.destroy()));
    },
  };
}

function podAgent(authorities: readonly string[]): Agent {
  const secure = buildConnector({
    allowH2: false,
    timeout: connectTimeoutMs,
    ca: [...authorities],
    minVersion: 'TLSv1.3',
    // A resumed session would skip the check of the certificate.
    maxCachedSessions: 0,
  });
  return new Agent({
    ...common,
    connect: (options, callback) => {
      const { address, serverName } = splitHostname(options.hostname);
      secure({ ...options, hostname: address, host: address, servername: serverName }, callback);
    },
  });
}

// undici shares connections by origin. The address of a pod may be that of another provider's pod a moment later, so its
// origin contains the name that its certificate was checked for: `v4-10-0-0-1.<name>` is connected to as 10.0.0.1.
const separators = { 4: '.', 6: ':' } as const;

function originOf({ hostname, port, protocol }: URL, serverName: string): string {
  const address = plainHost(hostname);
  const version = isIP(address) === 6 ? 6 : 4;
  const label = `v${version}-${address.replaceAll(separators[version], '-')}`;
  return `${protocol}//${label}.${serverName}:${port}`;
}

function splitHostname(hostname: string): {
  readonly address: string;
  readonly serverName: string;
} {
  const [label = ''] = hostname.split('.', 1);
  const separator = label.startsWith('v6-') ? separators[6] : separators[4];
  const address = label.slice('v4-'.length).replaceAll('-', separator);
  return { address, serverName: hostname.slice(label.length + 1) };
}
