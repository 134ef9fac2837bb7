// Runs kubectl as a person does: with a kubeconfig, and objects on its standard input.
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isExecutable } from '../../../src/dev/search-path.ts';
import { outcomeOf } from '../cluster/program.ts';

export interface Kubectl {
  /** @returns what it printed @throws Error with what it complained about */
  (...words: readonly string[]): Promise<string>;
  /** As above, with an object on standard input; add `-f -` to the arguments. */
  with(object: unknown, ...words: readonly string[]): Promise<string>;
}

/** @param namespace where it looks and writes, unless the words say otherwise */
export function kubectlFor(kubeconfig: string, namespace = 'default'): Kubectl {
  const program = findKubectl();
  const ask = (input: string, words: readonly string[]) =>
    run(program, ['--kubeconfig', kubeconfig, '--namespace', namespace, ...words], input);
  return Object.assign((...words: readonly string[]) => ask('', words), {
    with: (object: unknown, ...words: readonly string[]) => ask(JSON.stringify(object), words),
  });
}

async function run(program: string, words: readonly string[], input: string): Promise<string> {
  const { code, output, complaint } = await outcomeOf(program, words, { input });
  if (code !== 0) throw new Error(complaint.trim());
  return output;
}

function findKubectl(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folders = [
    process.env['KUBEBUILDER_ASSETS'] ?? '',
    join(cache, 'fairlead', 'controlplane-build'),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  const found = folders.map((folder) => join(folder, 'kubectl')).find(isExecutable);
  if (found === undefined) throw new Error('no kubectl; start Fairlead once, which fetches it');
  return found;
}
