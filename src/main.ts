// Entry point of the server, fairlead-server. Each verb imports its own code, so that a small one starts fast.

import { programUsage, verbDescriptions, verbUsage } from './app/config/flags.ts';
import { ConfigError, loadConfig, modeHere } from './app/config/index.ts';
import { StartError } from './domain/errors.ts';
import { ClusterConfigError, KubeError } from './kube/errors.ts';

type Verb = keyof typeof verbDescriptions;

const verbs: Readonly<Record<Verb, (argv: readonly string[]) => Promise<void>>> = {
  async dev(argv) {
    const { develop } = await import('./app/development.ts');
    await develop(argv);
  },
  async api(argv) {
    const { serveCluster } = await import('./app/cluster.ts');
    await serveCluster('api', argv);
  },
  async controller(argv) {
    const { serveCluster } = await import('./app/cluster.ts');
    await serveCluster('controller', argv);
  },
  async token(argv) {
    const { printableToken } = await import('./dev/token.ts');
    const config = loadConfig([], undefined, modeHere());
    process.stdout.write(`${await printableToken(argv, config)}\n`);
  },
  async check(argv) {
    const { checkService } = await import('./app/check.ts');
    const well = await checkService(argv, (line) => process.stdout.write(`${line}\n`));
    process.exitCode = well ? 0 : 1;
  },
  async kubectl(argv) {
    const { binariesFor } = await import('./dev/binaries.ts');
    const { runKubectl } = await import('./dev/kubectl.ts');
    const config = loadConfig([]);
    const { kubectl: binary } = await binariesFor(config);
    process.exitCode = await runKubectl(argv, { binary, dataFolder: config.dataFolder });
  },
};

/** An error that a person can fix is one sentence; any other is a bug of ours and shows its location. */
function startProblem(thrown: unknown): string {
  if (thrown instanceof StartError || thrown instanceof ConfigError) return thrown.message;
  if (thrown instanceof ClusterConfigError) return thrown.message;
  if (isLeftOut(thrown)) return leftOut;
  if (isTakenPort(thrown))
    return `Port ${thrown.port} is taken by another program; stop it, or choose another port.`;
  if (thrown instanceof KubeError) return `The Kubernetes API server: ${thrown.message}`;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

/** Also if the port was free a moment ago. */
function isTakenPort(thrown: unknown): thrown is { readonly port: number } {
  return (thrown as { code?: unknown }).code === 'EADDRINUSE';
}

const leftOut =
  'This is a production image without an issuer and a control plane. Set FAIRLEAD_ISSUERS (chart: auth.issuers), or build an evaluation image: docker build --build-arg EVALUATION=true .';

/** Each verb imports its own code, and a production image lacks that of some. */
function isLeftOut(thrown: unknown): boolean {
  const { code, url } = thrown as { code?: unknown; url?: unknown };
  return (
    code === 'ERR_MODULE_NOT_FOUND' &&
    /\/src\/(?:dev\/|issuer\/|app\/(?:development|evaluation))/.test(`${url}`)
  );
}

const [verb = '', ...argv] = process.argv.slice(2);
if (!isVerb(verb)) {
  process.stderr.write(`${programUsage()}\n`);
  process.exitCode = verb === '' || verb === '--help' ? 0 : 2;
} else if (verb !== 'kubectl' && argv.includes('--help')) {
  // kubectl has its own.
  process.stdout.write(`${verbUsage(verb)}\n`);
} else {
  try {
    await verbs[verb](argv);
  } catch (thrown) {
    process.stderr.write(`${startProblem(thrown)}\n`);
    process.exitCode = 1;
  }
}

function isVerb(text: string): text is Verb {
  return Object.hasOwn(verbDescriptions, text);
}
