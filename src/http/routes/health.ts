// Serves /health, /livez, /readyz for load balancers and kubelets. Only /readyz checks dependencies: one that is down takes
// the process out of service but never restarts it.
import { ErrorCode } from '../../domain/errors.ts';
import { type Endpoint, publicEndpoint } from '../endpoint.ts';
import { json } from '../response/send.ts';
import { Health, Readiness } from '../schemas/core.ts';

export interface ReadinessReport {
  readonly ready: boolean;
  /** The conditions that must each be true. */
  readonly checks: Readonly<Record<string, boolean>>;
}

const tag = 'Health';

export function healthRoutes(readiness: () => ReadinessReport): readonly Endpoint[] {
  return [
    alive('/health', { operationId: 'getHealth', summary: 'Check that the service is up' }),
    alive('/livez', { operationId: 'getLiveness', summary: 'Check that the process is alive' }),
    publicEndpoint({
      method: 'GET',
      path: '/readyz',
      documentation: {
        operationId: 'getReadiness',
        tag,
        summary: 'Check that the process is ready to serve requests',
        answer: { status: 200, description: 'The process is ready.', schema: Readiness },
        errors: [ErrorCode.unavailable],
      },
      handle: () => {
        const { ready, checks } = readiness();
        if (ready) return json({ status: 'ready', checks });
        const detail = 'Not ready';
        const body = { status: 'unready', checks, detail, code: ErrorCode.unavailable };
        return json(body, { status: 503 });
      },
    }),
  ];
}

function alive(path: string, names: { operationId: string; summary: string }): Endpoint {
  return publicEndpoint({
    method: 'GET',
    path,
    documentation: {
      ...names,
      tag,
      answer: { status: 200, description: 'The check succeeded.', schema: Health },
    },
    handle: () => json({ status: 'ok' }),
  });
}
