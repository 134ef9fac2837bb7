// Pure. docs/configuration.md: every variable of the environment and every flag, from the schema and the descriptions.
import { z } from 'zod';
import { checkFlags } from '../src/app/check.ts';
import { Environment, networkNames } from '../src/app/config/environment.ts';
import { type VerbDescription, verbDescriptions } from '../src/app/config/flags.ts';
import { serviceFlags } from '../src/app/config/index.ts';
import { otherVariables } from '../src/app/config/other-variables.ts';
import { tokenFlags } from '../src/app/config/token-flags.ts';
import { descriptionOf } from '../src/app/config/variable.ts';
import { buildStepUsage } from '../src/providers/build-step/verb.ts';
import { runtimeUsage } from '../src/providers/runtime/verb.ts';
import { code, codes, heading, table } from './markdown.ts';

type Name = keyof Environment;
type Verb = keyof typeof verbDescriptions;

interface Flag {
  readonly type: 'string';
  readonly default?: string;
}

interface Rule {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

const flagDefaults: Readonly<Record<Verb, Readonly<Record<string, Flag>>>> = {
  api: serviceFlags,
  controller: serviceFlags,
  dev: serviceFlags,
  token: tokenFlags,
  kubectl: {},
  check: checkFlags,
};

export function configurationPage(): string {
  const rules = rulesOfSchema();
  const names = Object.keys(Environment.shape) as Name[];
  const rows = names.map((name) => variableRow(name, rules[name] ?? {}));
  const verbs = Object.keys(verbDescriptions) as Verb[];
  return [
    heading('Configuration', 'src/app'),
    `Fairlead reads its settings from environment variables. Flags override some of them. The Helm chart sets the
variables from its values, which [the README of the chart](../charts/fairlead/README.md#values) lists.

An invalid value prevents the start; the error message names the variable and the rule. An empty variable counts as a value.
[operations.md](operations.md) describes how to run an installation.

## Environment variables

The last column names the verbs that use a variable. Each verb that reads settings checks all variables.
`,
    table(['Variable', 'Meaning', 'Default', 'Allowed values', 'Read by'], rows),
    `### Network of the machine

In development, Fairlead passes these variables to the processes that represent pods: ${codes(networkNames)}.
The AWS SDK reads its own variables, such as \`AWS_ACCESS_KEY_ID\` and \`AWS_SECRET_ACCESS_KEY\`.
The verb \`token\` uses the defaults of a cluster where \`KUBERNETES_SERVICE_HOST\` is set, which Kubernetes does in every pod.

### Other variables

The verbs read no settings from these variables.
`,
    table(
      ['Variable', 'Meaning'],
      otherVariables.map(({ name, meaning }) => [code(name), meaning]),
    ),
    '## Flags\n',
    'A program call is `fairlead-server VERB FLAGS`; in a checkout it is `node src/main.ts VERB FLAGS`.\n',
    ...verbs.map(verbSection),
    `## Programs in pods of tenants

Fairlead starts these programs in the pods of builds and providers. They are not verbs; do not start them manually.

\`\`\`text
${runtimeUsage}
${buildStepUsage}
\`\`\`
`,
  ].join('\n');
}

function rulesOfSchema(): Readonly<Record<string, Rule>> {
  const schema = z.toJSONSchema(Environment, { io: 'input', unrepresentable: 'any' });
  return schema.properties as Record<string, Rule>;
}

function variableRow(name: Name, rule: Rule): readonly string[] {
  const variable = descriptionOf(name, Environment.shape[name]);
  return [
    code(name),
    variable.meaning,
    variable.standard ?? standardOf(name),
    variable.allowed ?? allowedBy(rule),
    codes(variable.readers),
  ];
}

/** @returns the default in the schema, or `none` */
function standardOf(name: Name): string {
  const parsed = Environment.shape[name].safeParse(undefined);
  const value: unknown = parsed.success ? parsed.data : undefined;
  const none = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  return none ? 'none' : code(String(value));
}

/** @throws TypeError for a rule without a general description; such a variable needs `allowed` */
function allowedBy(rule: Rule): string {
  if (rule.enum !== undefined) return codes(rule.enum);
  const { type, minimum, maximum, minLength, maxLength } = rule;
  if (type === 'integer' && minimum !== undefined && maximum !== undefined) {
    return `a whole number from ${minimum} to ${maximum}`;
  }
  if (type === 'string' && maxLength !== undefined) {
    return `a string of ${minLength ?? 0} to ${maxLength} characters`;
  }
  throw new TypeError(`No description of the allowed values: ${JSON.stringify(rule)}`);
}

function verbSection(verb: Verb): string {
  const { purpose, script, flags }: VerbDescription = verbDescriptions[verb];
  const rows = Object.entries(flags).map(([name, { value, meaning, isRequired = false }]) => {
    const standard = flagDefaults[verb][name]?.default ?? '';
    const text = isRequired ? `${meaning} This flag is required.` : meaning;
    return [code(`--${name} ${value}`), text, standard === '' ? 'none' : code(standard)];
  });
  const call = script === undefined ? '' : ` (${code(script)})`;
  const text = `### fairlead-server ${verb}\n\nThis verb ${purpose}${call}.\n`;
  return rows.length === 0 ? text : `${text}\n${table(['Flag', 'Meaning', 'Default'], rows)}`;
}
