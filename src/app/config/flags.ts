// Describes every verb and flag, for the usage texts and docs/configuration.md. A flag without a description does not compile.
import type { checkFlags } from '../check.ts';
import type { serviceFlags } from './index.ts';
import type { tokenFlags } from './token-flags.ts';

interface FlagDescription {
  readonly value: string;
  readonly meaning: string;
  /** The permitted values, which the usage shows instead of `value`. */
  readonly choices?: readonly string[];
  readonly isRequired?: boolean;
}

export interface VerbDescription {
  readonly purpose: string;
  /** The npm script that runs the verb in a checkout. */
  readonly script?: string;
  /** The words that follow the verb, instead of flags. */
  readonly parameters?: string;
  readonly flags: Readonly<Record<string, FlagDescription>>;
}

const service = {
  kubeconfig: {
    value: 'FILE',
    meaning:
      'Cluster to use. Without it, `dev` starts a local control plane; `api` and `controller` use the service account of their pod.',
  },
  data: {
    value: 'FOLDER',
    meaning: 'Folder for all data; `.fairlead` in development. Overrides `FAIRLEAD_DATA`.',
  },
  port: {
    value: 'PORT',
    meaning:
      'Port of the API; 8000 without it. The other ports of `dev` follow it. Overrides `FAIRLEAD_PORT`.',
  },
  'issuer-port': {
    value: 'PORT',
    meaning:
      'Port of the token issuer; in `dev` the one after the API. Overrides `FAIRLEAD_ISSUER_PORT`.',
  },
} as const satisfies Readonly<Record<keyof typeof serviceFlags, FlagDescription>>;

/** The controller accepts `--issuer-port` too, but has no issuer. */
const { 'issuer-port': _, ...controller } = service;

const token = {
  org: { value: 'ORGANIZATION', meaning: 'Organization of the token.', isRequired: true },
  role: {
    value: 'ROLE',
    meaning: 'Role of the token: `viewer`, `editor` or `admin`.',
    choices: ['viewer', 'editor', 'admin'],
  },
  project: { value: 'ID', meaning: 'Project to which the token is restricted. Empty means all.' },
  expires: {
    value: 'TIME',
    meaning: 'Lifetime of the token, with a unit `s`, `m`, `h` or `d`; at most 24 hours.',
  },
} as const satisfies Readonly<Record<keyof typeof tokenFlags, FlagDescription>>;

const check = {
  url: { value: 'URL', meaning: 'Base address of the API.', isRequired: true },
  'token-file': {
    value: 'FILE',
    meaning:
      'File with a token of a role that may write. With it, the check applies and deletes a draft.',
  },
  timeout: { value: 'SECONDS', meaning: 'Seconds that the API may take to become ready.' },
} as const satisfies Readonly<Record<keyof typeof checkFlags, FlagDescription>>;

export const verbDescriptions = {
  api: { purpose: 'serves requests, in a pod of a cluster', flags: service },
  controller: { purpose: 'reconciles while it leads, in a pod of a cluster', flags: controller },
  dev: {
    purpose: 'starts all of Fairlead on one machine, for development',
    script: 'npm start --',
    flags: service,
  },
  token: {
    purpose: 'prints a token of the local issuer',
    script: 'npm run --silent token --',
    flags: token,
  },
  kubectl: {
    purpose: 'runs kubectl with its arguments against the local control plane',
    script: 'npm run --silent kubectl --',
    parameters: '[ARGUMENT ...]',
    flags: {},
  },
  check: { purpose: 'checks a running Fairlead, as `helm test` does', flags: check },
} as const satisfies Readonly<Record<string, VerbDescription>>;

/** @returns the usage of the program: two lines for each verb */
export function programUsage(): string {
  const verbs = Object.entries(verbDescriptions).map(
    ([verb, description]) =>
      `  ${verb.padEnd(10)}  ${description.purpose.replaceAll('`', '')}\n${' '.repeat(14)}${verbParameters(description)}`,
  );
  return ['Usage: fairlead-server VERB [FLAGS]', ...verbs].join('\n');
}

/** @returns the usage of one verb: a line for each flag */
export function verbUsage(verb: keyof typeof verbDescriptions): string {
  const description: VerbDescription = verbDescriptions[verb];
  const call = description.script ?? `fairlead-server ${verb}`;
  const flags = Object.entries(description.flags).map(
    ([name, { value, meaning }]) =>
      `  ${`--${name} ${value}`.padEnd(22)}  ${meaning.replaceAll('`', '')}`,
  );
  return [`Usage: ${call} ${verbParameters(description)}`, ...flags].join('\n');
}

/** @returns what follows a verb, such as `--url URL [--timeout SECONDS]` */
export function verbParameters({ flags, parameters }: VerbDescription): string {
  if (parameters !== undefined) return parameters;
  const texts = Object.entries(flags).map(([name, { value, choices, isRequired = false }]) => {
    const text = `--${name} ${choices?.join('|') ?? value}`;
    return isRequired ? text : `[${text}]`;
  });
  return texts.join(' ');
}
