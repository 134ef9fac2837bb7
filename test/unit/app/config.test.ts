import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/app/config.ts';

const issuer = {
  issuer: 'https://id.example.org',
  audience: 'fairlead',
  organization: 'acme',
  defaultRole: 'viewer',
};

describe('settings', () => {
  it('name the issuers that are trusted, by default none', () => {
    expect(loadConfig([], {}).issuers).toEqual([]);
    const trusted = loadConfig([], { FAIRLEAD_ISSUERS: JSON.stringify([issuer]) }).issuers;
    expect(trusted).toMatchObject([issuer]);
    const local = { ...issuer, issuer: 'http://localhost:8080' };
    const { issuers } = loadConfig([], { FAIRLEAD_ISSUERS: JSON.stringify([local]) });
    expect(issuers).toMatchObject([local]);
  });

  it('take ranges of the cluster, and not all addresses', () => {
    const at = (text: string) => loadConfig([], { FAIRLEAD_CLUSTER_CIDRS: text }).clusterCidrs;
    expect(at('203.0.113.0/24, 2001:db8::/32')).toEqual(['203.0.113.0/24', '2001:db8::/32']);
    for (const text of ['0.0.0.0/0', '::/0', '10.0.0.0', 'pods']) {
      expect(() => at(text), text).toThrow(/FAIRLEAD_CLUSTER_CIDRS/);
    }
  });

  it('have defaults for a machine of one developer', () => {
    expect(loadConfig([], {})).toMatchObject({
      port: 8000,
      issuerPort: 8001,
      metricsPort: 9090,
      host: '127.0.0.1',
      kubeconfig: undefined,
      retry: { maximumAttempts: 5, baseMs: 1_000, capMs: 60_000 },
      supersededKept: 1_000,
      pods: { minReadySeconds: 10 },
      rates: { perSecond: 50, burst: 200, pushesPerMinute: 10 },
    });
  });

  it('are taken from flags before the environment', () => {
    const environment = { FAIRLEAD_PORT: '9000', FAIRLEAD_DATA: '/elsewhere' };
    const config = loadConfig(['--port', '9001', '--kubeconfig', '/some/file'], environment);
    expect(config).toMatchObject({
      port: 9001,
      dataFolder: '/elsewhere',
      kubeconfig: '/some/file',
    });
  });

  it('cannot be changed once read', () => {
    expect(Object.isFrozen(loadConfig([], {}))).toBe(true);
  });

  it('hand on how the machine reaches a network, and nothing else of its environment', () => {
    const environment = { HTTPS_PROXY: 'http://proxy:1', NODE_EXTRA_CA_CERTS: '', AWS_SECRET: 's' };
    expect(loadConfig([], environment).network).toEqual({ HTTPS_PROXY: 'http://proxy:1' });
  });

  const refused: Record<string, [readonly string[], Record<string, string>, RegExp]> = {
    'a port that is no number': [[], { FAIRLEAD_PORT: 'http' }, /FAIRLEAD_PORT/],
    'a port that does not exist': [['--port', '70000'], {}, /FAIRLEAD_PORT/],
    'an empty folder': [[], { FAIRLEAD_DATA: '' }, /FAIRLEAD_DATA/],
    'a time to be ready for that no deployment has': [
      [],
      { FAIRLEAD_MIN_READY_SECONDS: '120' },
      /FAIRLEAD_MIN_READY_SECONDS/,
    ],
    'an unknown log level': [[], { FAIRLEAD_LOG_LEVEL: 'loud' }, /FAIRLEAD_LOG_LEVEL/],
    'a namespace that is none': [[], { FAIRLEAD_NAMESPACE: 'A b' }, /FAIRLEAD_NAMESPACE/],
    'less than no letters': [
      [],
      { FAIRLEAD_SUPERSEDED_LETTERS: '-1' },
      /FAIRLEAD_SUPERSEDED_LETTERS/,
    ],
    'memory in a unit that Kubernetes does not know': [
      [],
      { FAIRLEAD_LIMIT_MEMORY: '2GB' },
      /FAIRLEAD_LIMIT_MEMORY/,
    ],
    'room for no resource': [[], { FAIRLEAD_LIMIT_RESOURCES: '0' }, /FAIRLEAD_LIMIT_RESOURCES/],
    '[H11] a limit that is no number': [
      [],
      { FAIRLEAD_RATE_LIMIT: 'banana' },
      /FAIRLEAD_RATE_LIMIT/,
    ],
    '[H11] a limit below nothing': [[], { FAIRLEAD_RATE_LIMIT: '-1' }, /FAIRLEAD_RATE_LIMIT/],
    '[H11] an empty limit, which is not 0': [
      [],
      { FAIRLEAD_PUSH_LIMIT_PER_MINUTE: '' },
      /FAIRLEAD_PUSH_LIMIT_PER_MINUTE/,
    ],
    '[H11] a burst that lets nothing through': [
      [],
      { FAIRLEAD_RATE_BURST: '0' },
      /FAIRLEAD_RATE_BURST/,
    ],
    'no attempt at all': [[], { FAIRLEAD_MAX_ATTEMPTS: '0' }, /FAIRLEAD_MAX_ATTEMPTS/],
    'an address beyond this machine': [[], { FAIRLEAD_HOST: '0.0.0.0' }, /FAIRLEAD_HOST.*127/],
    'no list of issuers': [[], { FAIRLEAD_ISSUERS: '{}' }, /FAIRLEAD_ISSUERS: must be a JSON list/],
    'an issuer without an audience': [
      [],
      { FAIRLEAD_ISSUERS: JSON.stringify([{ ...issuer, audience: undefined }]) },
      /FAIRLEAD_ISSUERS: \[0\] https:\/\/id\.example\.org: audience/,
    ],
    'an issuer over an open line': [
      [],
      { FAIRLEAD_ISSUERS: JSON.stringify([{ ...issuer, issuer: 'http://id.example.org' }]) },
      /FAIRLEAD_ISSUERS: .*issuer: must begin with https/,
    ],
    'a list of issuers that is not there': [
      [],
      { FAIRLEAD_ISSUERS_FILE: '/nowhere/issuers.json' },
      /FAIRLEAD_ISSUERS_FILE: cannot be read/,
    ],
    'a file of something else': [
      [],
      { FAIRLEAD_ISSUERS_FILE: import.meta.filename },
      /FAIRLEAD_ISSUERS_FILE: must be a JSON list/,
    ],
    'two lists of issuers': [
      [],
      { FAIRLEAD_ISSUERS: '[]', FAIRLEAD_ISSUERS_FILE: '/some/file' },
      /FAIRLEAD_ISSUERS: cannot be combined/,
    ],
    'a registry with a password in its address': [
      [],
      { FAIRLEAD_NPM_REGISTRY: 'https://me:secret@npm.example.org/' },
      /FAIRLEAD_NPM_REGISTRY: must be a URL without user, password, query and fragment/,
    ],
    'a registry that is no address': [
      [],
      { FAIRLEAD_NPM_REGISTRY: 'npm.example.org' },
      /FAIRLEAD_NPM_REGISTRY/,
    ],
    'an unknown flag': [['--prot', '1'], {}, /--prot/],
    'a stray word': [['now'], {}, /now/],
  };

  it.each(Object.entries(refused))('refuse %s, by name', (_what, [argv, environment, message]) => {
    expect(() => loadConfig(argv, environment)).toThrow(ConfigError);
    expect(() => loadConfig(argv, environment)).toThrow(message);
  });
});
