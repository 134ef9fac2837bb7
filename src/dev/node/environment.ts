// Builds the environment of a container: envFrom, then env in order, each value expanded with those before it.
import { containerResource, type Machine, podField } from './fields.ts';
import type { Container, EnvVar, Pod } from './pod.ts';
import { ContainerProblem } from './problem.ts';
import type { Sources, Values } from './sources.ts';

export interface EnvironmentContext {
  readonly pod: Pod;
  readonly ip: string;
  readonly machine: Machine;
  readonly sources: Sources;
}

/** @throws ContainerProblem that names what is missing; KubeError */
export async function environmentOf(
  container: Container,
  context: EnvironmentContext,
): Promise<Record<string, string>> {
  const variables = await copied(container, context.sources);
  for (const entry of container.env ?? []) {
    const value = await resolvedValue(entry, container, { ...context, variables });
    if (value !== undefined) variables[entry.name] = value;
  }
  return variables;
}

async function copied(container: Container, sources: Sources): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const [kind, ref] = configMapRef
      ? (['configMap', configMapRef] as const)
      : (['secret', secretRef] as const);
    if (ref === undefined) continue;
    const values = await sources[kind](ref.name);
    if (values === undefined && ref.optional !== true) throw missing(kind, ref.name);
    for (const [key, value] of values ?? []) variables[`${prefix}${key}`] = value.toString('utf8');
  }
  return variables;
}

function resolvedValue(
  { name, value, valueFrom }: EnvVar,
  container: Container,
  context: EnvironmentContext & { readonly variables: Readonly<Record<string, string>> },
): Promise<string | undefined> | string {
  if (valueFrom === undefined) return expand(value ?? '', context.variables);
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (configMapKeyRef !== undefined) return keyed('configMap', configMapKeyRef, context.sources);
  if (secretKeyRef !== undefined) return keyed('secret', secretKeyRef, context.sources);
  const field =
    fieldRef !== undefined
      ? podField(context.pod, context.ip, fieldRef)
      : resourceFieldRef && containerResource(container, context.machine, resourceFieldRef);
  if (field !== undefined) return field;
  throw new ContainerProblem(
    'CreateContainerConfigError',
    `the local node does not support the source of variable ${name}`,
  );
}

async function keyed(
  kind: 'configMap' | 'secret',
  { name, key, optional }: { name: string; key: string; optional?: boolean },
  sources: Sources,
): Promise<string | undefined> {
  const values: Values | undefined = await sources[kind](name);
  const value = values?.get(key);
  if (value !== undefined) return value.toString('utf8');
  if (optional === true) return undefined;
  if (values === undefined) throw missing(kind, name);
  throw new ContainerProblem(
    'CreateContainerConfigError',
    `couldn't find key ${key} in ${kind} ${name}`,
  );
}

function missing(kind: string, name: string): ContainerProblem {
  return new ContainerProblem(
    'CreateContainerConfigError',
    `${kind.toLowerCase()} "${name}" not found`,
  );
}

/** Expands `$(NAME)` in commands and values as Kubernetes does: `$$` is a `$`, and unknown names stay as they are. */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    return Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole;
  });
}
