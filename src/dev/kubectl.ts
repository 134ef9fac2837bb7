// Implements `fairlead-server kubectl …`: runs kubectl of the control plane's release with its kubeconfig.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { StartError } from '../domain/errors.ts';
import { isFile } from './data-folder.ts';

/** @returns the exit code of kubectl. @throws StartError when there is no kubeconfig */
export function runKubectl(
  argv: readonly string[],
  { binary, dataFolder }: { binary: string; dataFolder: string },
): Promise<number> {
  const kubeconfig = join(dataFolder, 'kubeconfig');
  if (!isFile(kubeconfig)) {
    throw new StartError(`There is no ${kubeconfig} yet. Start Fairlead first: npm start`);
  }
  // kubectl caches per host and port; another API server may have used this port before.
  const cache = join(dataFolder, 'kubectl-cache');
  const own = ['--kubeconfig', kubeconfig, '--cache-dir', cache];
  const child = spawn(binary, [...own, ...argv], { stdio: 'inherit' });
  // Ctrl-C reaches kubectl directly, and kubectl handles it.
  process.on('SIGINT', () => undefined);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
