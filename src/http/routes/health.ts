// Serves /health, /livez, /readyz for load balancers and kubelets. Only /readyz checks dependencies: one that is down takes
// the process out of service but never restarts it.
import { type Endpoint, publicEndpoint } from '../endpoint.ts';
import { json } from '../response/send.ts';

export interface ReadinessReport {
  readonly ready: boolean;
  /** The conditions that must each be true. */
  readonly checks: Readonly<Record<string, boolean>>;
}

const tag = 'Health';

export function healthRoutes(readiness: () => ReadinessReport): readonly Endpoint[] {
  return [
    alive('getHealth', 'Check that the service is up'),
    alive('getLiveness', 'Check that the process is alive'),
    publicEndpoint('getReadiness', {
      documentation: {
        tag,
        summary: 'Check that the process is ready to serve requests',
        answer: { status: 200, description: 'The process is ready.' },
        errors: ['unavailable'],
      },
      handle: () => {
        const { ready, checks } = readiness();
        if (ready) return json({ status: 'ready', checks });
        const detail = 'Not ready';
        const body = { status: 'unready', checks, detail, code: 'unavailable' };
        return json(body, { status: 503 });
      },
    }),
  ];
}

function alive(id: 'getHealth' | 'getLiveness', summary: string): Endpoint {
  return publicEndpoint(id, {
    documentation: {
      tag,
      summary,
      answer: { status: 200, description: 'The check succeeded.' },
    },
    handle: () => json({ status: 'ok' }),
  });
}
