// The ports of one process: those that were given, and those that follow from the port of the API.
import type { Environment } from './environment.ts';

export interface Ports {
  readonly port: number;
  readonly issuerPort: number;
  /** The port of the listener for pods. */
  readonly internalPort: number;
  readonly metricsPort: number;
}

export type PortName = keyof Ports;

const usual: Ports = { port: 8000, issuerPort: 8001, internalPort: 8002, metricsPort: 9090 };

const variables = {
  port: 'FAIRLEAD_PORT',
  issuerPort: 'FAIRLEAD_ISSUER_PORT',
  internalPort: 'FAIRLEAD_INTERNAL_PORT',
  metricsPort: 'FAIRLEAD_METRICS_PORT',
} as const satisfies Readonly<Record<PortName, keyof Environment>>;

/**
 * @param follows whether ports that were not given are next to that of the API, so that one flag moves them all
 * @returns the ports, and the names of those that were given
 */
export function portsIn(
  env: Environment,
  follows: boolean,
): Ports & { readonly givenPorts: readonly PortName[] } {
  const names = Object.keys(variables) as PortName[];
  const given = names.filter((name) => env[variables[name]] !== undefined);
  const port = env.FAIRLEAD_PORT ?? usual.port;
  const others = follows && port !== usual.port ? portsAfter(port) : usual;
  return {
    port,
    issuerPort: env.FAIRLEAD_ISSUER_PORT ?? others.issuerPort,
    internalPort: env.FAIRLEAD_INTERNAL_PORT ?? others.internalPort,
    metricsPort: env.FAIRLEAD_METRICS_PORT ?? others.metricsPort,
    givenPorts: given,
  };
}

function portsAfter(port: number): Ports {
  const step = port + 3 > 65_535 ? -1 : 1;
  return {
    port,
    issuerPort: port + step,
    internalPort: port + 2 * step,
    metricsPort: port + 3 * step,
  };
}
