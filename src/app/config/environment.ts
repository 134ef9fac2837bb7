// The variables of the environment. `index.ts` reads them.
import { z } from 'zod';
import { serviceVariables } from './service-variables.ts';
import { tenantVariables } from './tenant-variables.ts';

export const Environment = z.object({ ...serviceVariables, ...tenantVariables });

/** Proxy and certificate variables, which are passed on unchanged. */
export const networkNames = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'npm_config_registry',
];

export type Environment = z.output<typeof Environment>;

/** By the standard variables of OpenTelemetry. @returns undefined when no traces are recorded */
export function tracingIn(env: Environment): { readonly ratio: number } | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = env;
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true';
  if (isOff || (all === undefined && traces === undefined)) return undefined;
  return { ratio: env.OTEL_TRACES_SAMPLER_ARG };
}

export function networkIn(environment: Readonly<Record<string, string | undefined>>) {
  const given = networkNames.map((name) => [name, environment[name] ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
