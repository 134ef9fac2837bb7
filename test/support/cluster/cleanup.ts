// Removes Fairlead and all its data from a cluster, whatever state a run left behind.
import { removeDisk } from './disk.ts';
import type { Installation } from './installation.ts';
import { systemNamespace } from './installation.ts';

const definitions = [
  'get',
  'crd',
  '--selector',
  'app.kubernetes.io/part-of=fairlead',
  '-o',
  'name',
];
const patience = '--timeout=90s';

/** @returns whether this run creates the definitions. @throws when another Fairlead is installed */
export async function refuseIfInstalled(at: Installation): Promise<boolean> {
  const there = await at.kubectl('get', 'namespace', systemNamespace, '--ignore-not-found');
  if (there !== '') {
    throw new Error(
      `Namespace ${systemNamespace} is there already; this test wants to make and remove it`,
    );
  }
  return (await at.kubectl(...definitions)) === '';
}

/** Idempotent: a repeated call finds nothing. */
export async function removeEverything(
  at: Installation,
  { image, withDefinitions }: { image: string; withDefinitions: boolean },
): Promise<void> {
  const kinds = await at.kubectl(...definitions);
  const tenants = kinds === '' ? [] : await tenantsOf(at);
  for (const namespace of tenants) await emptied(at, namespace);
  await at.helm(
    'uninstall',
    'fairlead',
    '--namespace',
    systemNamespace,
    '--ignore-not-found',
    '--wait',
  );
  const gone = ['delete', '--ignore-not-found', patience];
  for (const name of [...tenants, systemNamespace]) await at.kubectl(...gone, 'namespace', name);
  await removeDisk(at, image);
  if (tenants.length > 0) await at.kubectl(...gone, 'organizations.fairlead.dev', ...tenants);
  if (withDefinitions && kinds !== '') await at.kubectl(...gone, ...kinds.trim().split('\n'));
}

async function tenantsOf(at: Installation): Promise<string[]> {
  const names = await at.read('{.items[*].metadata.name}', 'organizations.fairlead.dev');
  return names.split(' ').filter((name) => name !== '');
}

/**
 * Deletes through Fairlead and its providers if they run; otherwise removes the finalizers, which nothing else would do.
 */
async function emptied(at: Installation, namespace: string): Promise<void> {
  for (const kind of ['resources.fairlead.dev', 'providers.fairlead.dev']) {
    const where = ['--namespace', namespace];
    try {
      await at.kubectl('delete', kind, ...where, '--all', patience);
    } catch {
      const names = await at.kubectl('get', kind, ...where, '-o', 'name');
      const off = ['--type=merge', '--patch={"metadata":{"finalizers":null}}'];
      for (const name of names.trim().split('\n').filter(Boolean)) {
        await at.kubectl('patch', name, ...where, ...off);
      }
    }
  }
}
