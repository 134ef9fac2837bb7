// What every verb and every flag means, for docs/configuration.md. A flag without an entry does not compile.
import type { tokenFlags } from '../dev/token.ts';
import type { checkFlags } from './check.ts';
import type { serviceFlags } from './config.ts';

interface FlagDescription {
  readonly value: string;
  readonly meaning: string;
}

export interface VerbDescription {
  readonly purpose: string;
  readonly flags: Readonly<Record<string, FlagDescription>>;
}

const service = {
  kubeconfig: {
    value: 'FILE',
    meaning:
      'Cluster to use. Without it, `dev` starts a local control plane; `api` and `controller` use the service account of their pod.',
  },
  data: { value: 'FOLDER', meaning: 'Takes the place of `FAIRLEAD_DATA`.' },
  port: { value: 'PORT', meaning: 'Takes the place of `FAIRLEAD_PORT`.' },
  'issuer-port': { value: 'PORT', meaning: 'Takes the place of `FAIRLEAD_ISSUER_PORT`.' },
} as const satisfies Readonly<Record<keyof typeof serviceFlags, FlagDescription>>;

const token = {
  org: { value: 'ORGANIZATION', meaning: 'Organization of the token. This flag is required.' },
  role: { value: 'ROLE', meaning: 'Role of the token: `viewer`, `editor` or `admin`.' },
  project: { value: 'ID', meaning: 'Project to which the token is confined. Empty means all.' },
  expires: {
    value: 'TIME',
    meaning: 'Lifetime of the token, with a unit `s`, `m`, `h` or `d`; at most 24 hours.',
  },
} as const satisfies Readonly<Record<keyof typeof tokenFlags, FlagDescription>>;

const check = {
  url: { value: 'URL', meaning: 'Base address of the API. This flag is required.' },
  'token-file': {
    value: 'FILE',
    meaning:
      'File with a token of a role that may write. With it, the check applies and deletes a draft.',
  },
  timeout: { value: 'SECONDS', meaning: 'Seconds that the API may take to become ready.' },
} as const satisfies Readonly<Record<keyof typeof checkFlags, FlagDescription>>;

export const verbDescriptions = {
  api: { purpose: 'serves requests, in a pod of a cluster', flags: service },
  controller: { purpose: 'reconciles while it leads, in a pod of a cluster', flags: service },
  dev: {
    purpose: 'starts all of Fairlead on one machine, for development (`npm start --`)',
    flags: service,
  },
  token: {
    purpose: 'prints a token of the local issuer (`npm run --silent token --`)',
    flags: token,
  },
  kubectl: {
    purpose:
      'runs kubectl against the local control plane, with any arguments of kubectl (`npm run --silent kubectl --`)',
    flags: {},
  },
  check: { purpose: 'checks a running Fairlead, as `helm test` does', flags: check },
} as const satisfies Readonly<Record<string, VerbDescription>>;
