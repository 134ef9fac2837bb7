// RBAC rules of the stores for tenant records; single stores declare more themselves.
import type { ScopedRules } from '../kube/api.ts';

/** `npm run generate` generates roles from these. */
export const recordRules = {
  cluster: [
    { apiGroups: ['fairlead.dev'], resources: ['organizations'], verbs: ['create'] },
    {
      apiGroups: ['fairlead.dev'],
      resources: ['resources'],
      verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
    },
    {
      apiGroups: ['fairlead.dev'],
      resources: ['resourcedefinitions', 'providers'],
      verbs: ['get', 'list', 'create', 'update', 'delete'],
    },
    {
      apiGroups: ['fairlead.dev'],
      resources: ['builds'],
      verbs: ['get', 'list', 'create', 'patch', 'delete'],
    },
  ],
  // Logs of builds and providers are read in the tenant namespace.
  tenant: [
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  ],
} satisfies ScopedRules;
