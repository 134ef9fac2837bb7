// Builds the environment of a container: each variable in order, expanded with those before it.
import type { Container } from './pod.ts';
import { ContainerProblem } from './problem.ts';
import type { Secrets } from './secrets.ts';

/** @throws ContainerProblem that names what is missing; KubeError */
export async function containerEnvironment(
  { env = [] }: Container,
  { ip, secrets }: { readonly ip: string; readonly secrets: Secrets },
): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const { name, value = '', valueFrom } of env) {
    if (valueFrom === undefined) variables[name] = expand(value, variables);
    else if (valueFrom.secretKeyRef === undefined) variables[name] = ip;
    else variables[name] = await secretValue(valueFrom.secretKeyRef, secrets);
  }
  return variables;
}

async function secretValue(
  { name, key }: { readonly name: string; readonly key: string },
  secrets: Secrets,
): Promise<string> {
  const values = await secrets(name);
  const value = values?.get(key);
  if (value !== undefined) return value.toString('utf8');
  throw new ContainerProblem(
    'CreateContainerConfigError',
    values === undefined
      ? `secret "${name}" not found`
      : `couldn't find key ${key} in secret ${name}`,
  );
}

/** Expands `$(NAME)` in commands and values as Kubernetes does: `$$` is a `$`, and unknown names stay as they are. */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    return Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole;
  });
}
