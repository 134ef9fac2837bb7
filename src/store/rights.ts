// RBAC rules of the stores for tenant records; single stores declare more themselves.
import { allow, type ScopedRules } from '../kube/api.ts';

/** `npm run generate` generates roles from these. */
export const recordRules = {
  cluster: [
    allow(['create'], 'fairlead.dev', ['organizations']),
    allow(['get', 'list', 'create', 'update', 'patch', 'delete'], 'fairlead.dev', ['resources']),
    allow(['get', 'list', 'create', 'update', 'delete'], 'fairlead.dev', [
      'resourcedefinitions',
      'providers',
    ]),
    allow(['get', 'list', 'create', 'patch', 'delete'], 'fairlead.dev', ['builds']),
  ],
  // Logs of builds and providers are read in the tenant namespace.
  tenant: [allow(['get', 'list'], '', ['pods']), allow(['get'], '', ['pods/log'])],
} satisfies ScopedRules;
