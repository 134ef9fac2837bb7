// Implements /auth/me: the identity that the service derives from the token.
import type { ResourceQuota } from '../../store/resources/apply/quota.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { json } from '../response/send.ts';

export interface MeRoutesDeps {
  readonly quota: Pick<ResourceQuota, 'usage'>;
}

export function meRoutes({ quota }: MeRoutesDeps): readonly Endpoint[] {
  return [
    endpoint('getMe', {
      documentation: {
        tag: 'Authentication',
        summary: 'Show the identity of the caller',
        answer: { status: 200, description: 'The identity from the token.' },
      },
      handle: ({ caller }) => {
        const { organization, subject, email, display, organizationName, role, project } = caller;
        const { limits, usage } = quota.usage(organization);
        return json({
          organization_id: organization.id,
          issuer: organization.issuer,
          organization_name: organizationName ?? null,
          subject,
          user_id: subject,
          email: email ?? null,
          role,
          project_id: project ?? null,
          namespace: organization.namespace,
          display: display ?? subject,
          limits: { resources: limits.resources, resource_bytes: limits.resourceBytes },
          usage: { resources: usage.resources, resource_bytes: usage.resourceBytes },
        });
      },
    }),
  ];
}
