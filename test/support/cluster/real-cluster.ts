// Provides a cluster with nodes: the one of KUBECONFIG, or K3s in a container if Docker is available.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { getContainerRuntimeClient } from 'testcontainers';
import { helmsHere } from '../../../packaging/helm.ts';
import type { RealCluster } from './cluster.ts';
import { startK3s } from './k3s.ts';

export interface Place {
  /** The reason why there is none, as a sentence. */
  readonly missing?: string;
  /** @param image must be on its nodes afterwards */
  open(image: string): Promise<RealCluster>;
}

/** Looks for a cluster, and starts nothing. */
export async function findPlace(): Promise<Place> {
  const helm = helmsHere().length === 0 ? ['helm'] : [];
  const absent = [...helm, ...['kubectl'].filter((name) => !onPath(name))];
  if (absent.length > 0) return without(`${absent.join(' and ')} must be on the search path`);
  const kubeconfig = process.env['KUBECONFIG'];
  if (kubeconfig !== undefined && kubeconfig !== '') {
    return { open: () => Promise.resolve({ kubeconfig, close: () => Promise.resolve() }) };
  }
  if (await dockerIsThere()) return { open: startK3s };
  return without('KUBECONFIG is not set, and there is no Docker to start K3s in');
}

function without(missing: string): Place {
  return { missing, open: () => Promise.reject(new Error(missing)) };
}

function onPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function dockerIsThere(): Promise<boolean> {
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}
