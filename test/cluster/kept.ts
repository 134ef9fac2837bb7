// Objects that must survive upgrades, rollbacks and the release itself.
import { systemNamespace, type Tenant } from '../support/cluster/installation.ts';
import type { Stage } from '../support/cluster/stage.ts';

/**
 * Resources with their generation, their event and what came of it, definitions, keys, and the pods of providers.
 * @param except names of resources that are just being changed
 */
export async function kept(
  { at, north, south }: Stage,
  ...except: readonly string[]
): Promise<readonly string[]> {
  const resources = async (tenant: Tenant) => {
    const fields = [
      ...['.spec.name', '.metadata.uid', '.metadata.generation', '.status.state'],
      ...['.status.event.id', '.status.outputs'],
    ];
    const line = fields.map((field) => `{${field}}`).join(' ');
    const path = `{range .items[*]}${line}{"\\n"}{end}`;
    const text = await at.read(path, 'resources', '--namespace', tenant.namespace);
    return text.split('\n').filter((each) => !except.some((name) => each.startsWith(`${name} `)));
  };
  const providers = (tenant: Tenant) =>
    at.read(
      '{.items[*].metadata.uid}',
      ...['pods', '--namespace', tenant.namespace, '--field-selector', 'status.phase=Running'],
    );
  const secret = (name: string) =>
    at.read('{.metadata.uid} {.data}', 'secret', name, '--namespace', systemNamespace);
  const definitions = ['crd', '--selector', 'app.kubernetes.io/part-of=fairlead'];
  const parts = await Promise.all([
    resources(north),
    resources(south),
    providers(north),
    providers(south),
    at.read('{.items[*].metadata.uid}', ...definitions),
    secret('fairlead-event-key'),
    secret('fairlead-evaluation-issuer'),
  ]);
  return parts.flat();
}
