import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/app/config/index.ts';

const issuer = {
  issuer: 'https://id.example.org',
  audience: 'fairlead',
  organization: 'acme',
  defaultRole: 'viewer',
};

describe('settings', () => {
  it('contain the trusted issuers, by default none', () => {
    expect(loadConfig([], {}).issuers).toEqual([]);
    const trusted = loadConfig([], { FAIRLEAD_ISSUERS: JSON.stringify([issuer]) }).issuers;
    expect(trusted).toMatchObject([issuer]);
    const local = { ...issuer, issuer: 'http://localhost:8080' };
    const { issuers } = loadConfig([], { FAIRLEAD_ISSUERS: JSON.stringify([local]) });
    expect(issuers).toMatchObject([local]);
  });

  it('accept CIDR blocks of the cluster, except all addresses', () => {
    const at = (text: string) => loadConfig([], { FAIRLEAD_CLUSTER_CIDRS: text }).clusterCidrs;
    expect(at('203.0.113.0/24, 2001:db8::/32')).toEqual(['203.0.113.0/24', '2001:db8::/32']);
    for (const text of ['0.0.0.0/0', '::/0', '10.0.0.0', 'pods']) {
      expect(() => at(text), text).toThrow(/FAIRLEAD_CLUSTER_CIDRS/);
    }
  });

  it.each([
    { text: 'https://fairlead.example.org', origin: 'https://fairlead.example.org' },
    { text: 'https://Fairlead.example.org:443/', origin: 'https://fairlead.example.org' },
    { text: 'http://localhost:8000', origin: 'http://localhost:8000' },
    { text: 'http://[::1]:8000/', origin: 'http://[::1]:8000' },
  ])('normalize the public URL $text', ({ text, origin }) => {
    expect(loadConfig([], { FAIRLEAD_PUBLIC_URL: text }).publicUrl).toBe(origin);
  });

  it('have defaults for local development', () => {
    expect(loadConfig([], {})).toMatchObject({
      port: 8000,
      issuerPort: 8001,
      metricsPort: 9090,
      host: '127.0.0.1',
      kubeconfig: undefined,
      retry: { maxAttempts: 8, baseMs: 1_000, capMs: 60_000 },
      supersededKept: 1_000,
      pods: { minReadySeconds: 0 },
      rates: { perSecond: 50, burst: 200, pushesPerMinute: 10 },
      collection: { graceDays: 7, dryRun: false },
    });
  });

  it.each([
    { flags: [], ports: { port: 8000, issuerPort: 8001, internalPort: 8002, metricsPort: 9090 } },
    {
      flags: ['--port', '8100'],
      ports: { port: 8100, issuerPort: 8101, internalPort: 8102, metricsPort: 8103 },
    },
    {
      flags: ['--port', '8100', '--issuer-port', '9000'],
      ports: { issuerPort: 9000, internalPort: 8102, givenPorts: ['port', 'issuerPort'] },
    },
    { flags: ['--port', '65535'], ports: { issuerPort: 65_534, metricsPort: 65_532 } },
  ])('move all ports with that of the API: $flags', ({ flags, ports }) => {
    expect(loadConfig(flags, {})).toMatchObject(ports);
  });

  it('have fixed ports in a cluster, where probes and Services name them', () => {
    const config = loadConfig(['--port', '8100'], {}, 'cluster');
    expect(config).toMatchObject({ issuerPort: 8001, internalPort: 8002, metricsPort: 9090 });
  });

  it.each([
    { argv: ['8100'], npm: { npm_config_port: 'true' }, command: '--port 8100' },
    { argv: [], npm: { npm_config_issuer_port: '8101' }, command: '--issuer-port 8101' },
    {
      argv: ['8100', 'x'],
      npm: { npm_config_port: 'true', npm_config_data: 'true' },
      command: '--data VALUE --port VALUE',
    },
  ])('name the command for flags that npm keeps: $npm', ({ argv, npm, command }) => {
    const environment = { npm_lifecycle_event: 'start', ...npm };
    expect(() => loadConfig(argv, environment)).toThrow(new RegExp(`npm start -- ${command}$`));
  });

  it('prefer flags to environment variables', () => {
    const environment = { FAIRLEAD_PORT: '9000', FAIRLEAD_DATA: '/elsewhere' };
    const config = loadConfig(['--port', '9001', '--kubeconfig', '/some/file'], environment);
    expect(config).toMatchObject({
      port: 9001,
      dataFolder: '/elsewhere',
      kubeconfig: '/some/file',
    });
  });

  it('are frozen', () => {
    expect(Object.isFrozen(loadConfig([], {}))).toBe(true);
  });

  it('pass on the network variables of the machine, and no others', () => {
    const environment = { HTTPS_PROXY: 'http://proxy:1', NODE_EXTRA_CA_CERTS: '', AWS_SECRET: 's' };
    expect(loadConfig([], environment).network).toEqual({ HTTPS_PROXY: 'http://proxy:1' });
  });

  const refused: Record<string, [readonly string[], Record<string, string>, RegExp]> = {
    'a port that is not a number': [[], { FAIRLEAD_PORT: 'http' }, /FAIRLEAD_PORT/],
    'a port out of range': [['--port', '70000'], {}, /FAIRLEAD_PORT/],
    'an empty folder': [[], { FAIRLEAD_DATA: '' }, /FAIRLEAD_DATA/],
    'a minimum ready time above the maximum': [
      [],
      { FAIRLEAD_MIN_READY_SECONDS: '120' },
      /FAIRLEAD_MIN_READY_SECONDS/,
    ],
    'an unknown log level': [[], { FAIRLEAD_LOG_LEVEL: 'loud' }, /FAIRLEAD_LOG_LEVEL/],
    'an invalid namespace': [[], { FAIRLEAD_NAMESPACE: 'A b' }, /FAIRLEAD_NAMESPACE/],
    'a negative number of letters': [
      [],
      { FAIRLEAD_MAX_SUPERSEDED_DEAD_LETTERS: '-1' },
      /FAIRLEAD_MAX_SUPERSEDED_DEAD_LETTERS/,
    ],
    'an empty number of dead letters, which is not 0': [
      [],
      { FAIRLEAD_MAX_SUPERSEDED_DEAD_LETTERS: '' },
      /FAIRLEAD_MAX_SUPERSEDED_DEAD_LETTERS: must be a whole number, 0 or more/,
    ],
    'memory in an unknown unit': [[], { FAIRLEAD_LIMIT_MEMORY: '2GB' }, /FAIRLEAD_LIMIT_MEMORY/],
    'a limit of no resources': [[], { FAIRLEAD_LIMIT_RESOURCES: '0' }, /FAIRLEAD_LIMIT_RESOURCES/],
    '[H11] a limit that is not a number': [
      [],
      { FAIRLEAD_RATE_LIMIT: 'banana' },
      /FAIRLEAD_RATE_LIMIT/,
    ],
    '[H11] a negative limit': [[], { FAIRLEAD_RATE_LIMIT: '-1' }, /FAIRLEAD_RATE_LIMIT/],
    '[H11] an empty limit, which is not 0': [
      [],
      { FAIRLEAD_PUSH_LIMIT_PER_MINUTE: '' },
      /FAIRLEAD_PUSH_LIMIT_PER_MINUTE/,
    ],
    '[H11] a burst of 0 with a limit': [[], { FAIRLEAD_RATE_BURST: '0' }, /FAIRLEAD_RATE_BURST/],
    'no attempt at all': [[], { FAIRLEAD_MAX_ATTEMPTS: '0' }, /FAIRLEAD_MAX_ATTEMPTS/],
    'an address beyond this machine': [[], { FAIRLEAD_HOST: '0.0.0.0' }, /FAIRLEAD_HOST.*127/],
    'an invalid list of issuers': [
      [],
      { FAIRLEAD_ISSUERS: '{}' },
      /FAIRLEAD_ISSUERS: must be a JSON list/,
    ],
    'an issuer without an audience': [
      [],
      { FAIRLEAD_ISSUERS: JSON.stringify([{ ...issuer, audience: undefined }]) },
      /FAIRLEAD_ISSUERS: \[0\] https:\/\/id\.example\.org: audience/,
    ],
    'an issuer without TLS': [
      [],
      { FAIRLEAD_ISSUERS: JSON.stringify([{ ...issuer, issuer: 'http://id.example.org' }]) },
      /FAIRLEAD_ISSUERS: .*issuer: must begin with https/,
    ],
    'a missing file of issuers': [
      [],
      { FAIRLEAD_ISSUERS_FILE: '/nowhere/issuers.json' },
      /FAIRLEAD_ISSUERS_FILE: cannot be read/,
    ],
    'a file of other content': [
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
    'a registry that is not a URL': [
      [],
      { FAIRLEAD_NPM_REGISTRY: 'npm.example.org' },
      /FAIRLEAD_NPM_REGISTRY/,
    ],
    'pods with a field that could undo their isolation': [
      [],
      { FAIRLEAD_POD_SCHEDULING: '{"hostNetwork":true}' },
      /FAIRLEAD_POD_SCHEDULING: .*hostNetwork/,
    ],
    'pods with an unknown effect': [
      [],
      { FAIRLEAD_POD_SCHEDULING: '{"tolerations":[{"effect":"Never"}]}' },
      /FAIRLEAD_POD_SCHEDULING\.tolerations\.0\.effect/,
    ],
    'pods that are not JSON': [
      [],
      { FAIRLEAD_POD_SCHEDULING: 'gvisor' },
      /FAIRLEAD_POD_SCHEDULING: must be JSON/,
    ],
    'a public URL without TLS': [
      [],
      { FAIRLEAD_PUBLIC_URL: 'http://fairlead.example.org' },
      /FAIRLEAD_PUBLIC_URL: must begin with https/,
    ],
    'a public URL with a password': [
      [],
      { FAIRLEAD_PUBLIC_URL: 'https://me:secret@fairlead.example.org' },
      /FAIRLEAD_PUBLIC_URL/,
    ],
    'a public URL with a path': [
      [],
      { FAIRLEAD_PUBLIC_URL: 'https://example.org/fairlead' },
      /FAIRLEAD_PUBLIC_URL/,
    ],
    'a public URL whose host only begins like localhost': [
      [],
      { FAIRLEAD_PUBLIC_URL: 'http://localhost.example.org' },
      /FAIRLEAD_PUBLIC_URL/,
    ],
    'an unknown flag': [['--prot', '1'], {}, /--prot/],
    'an unexpected argument': [['now'], {}, /now/],
  };

  it.each(Object.entries(refused))('reject %s, by name', (_what, [argv, environment, message]) => {
    expect(() => loadConfig(argv, environment)).toThrow(ConfigError);
    expect(() => loadConfig(argv, environment)).toThrow(message);
  });
});
