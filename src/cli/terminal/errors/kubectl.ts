// Names the command for what people type who come from kubectl.
import { shell } from '../../../client/words/shell-word.ts';

type Hint = (args: readonly string[]) => string;

const withName = (command: string, without: string): Hint => {
  return ([name]) => (name === undefined ? without : `${command} ${name}`);
};

const commands: ReadonlyMap<string, Hint> = new Map<string, Hint>([
  ['describe', withName('Its state, and why: fairlead why', 'fairlead why')],
  ['create', () => 'fairlead apply --help'],
  ['replace', () => 'fairlead apply --help'],
  ['patch', withName('fairlead edit', 'fairlead edit --help')],
  ['explain', withName('fairlead type get', 'fairlead type list')],
  ['config', () => 'fairlead context list'],
  ['cluster-info', () => 'fairlead doctor'],
  ['auth', () => 'fairlead whoami'],
  ['events', () => 'fairlead why'],
  ['rollout', () => 'fairlead deploy --help, or fairlead rollback --help'],
  ['scale', () => 'fairlead deploy --replicas N'],
  ['api-resources', () => 'fairlead type list'],
]);

const nouns: ReadonlyMap<string, string> = new Map([
  ['all', 'fairlead get'],
  ['resource', 'fairlead get'],
  ['resources', 'fairlead get'],
  ['provider', 'fairlead provider list'],
  ['providers', 'fairlead provider list'],
  ['type', 'fairlead type list'],
  ['types', 'fairlead type list'],
  ['project', 'fairlead project list'],
  ['projects', 'fairlead project list'],
  ['namespaces', 'fairlead project list'],
  ['ns', 'fairlead project list'],
  ['pods', 'fairlead provider list'],
  ['deployments', 'fairlead provider list'],
  ['events', 'fairlead why'],
]);

const flags: ReadonlyMap<string, string> = new Map([
  ['-n', '-p'],
  ['--namespace', '-p'],
  ['-A', '--all-projects'],
  ['--all-namespaces', '--all-projects'],
]);

/** @returns the command to use instead of one that kubectl has; undefined for another word */
export function insteadOfCommand([word = '', ...rest]: readonly string[]): string | undefined {
  return commands.get(word)?.(rest.filter((each) => !each.startsWith('-')));
}

/** @returns the command that lists what a word means that stands where `get` takes a provider */
export function insteadOfNoun(word: string): string | undefined {
  return nouns.get(word.toLowerCase());
}

/** @returns the command line with the flags that do what those of kubectl do; undefined when it has none of them */
export function withOwnFlags(argv: readonly string[]): string | undefined {
  if (!argv.some((word) => flags.has(word))) return undefined;
  return shell`fairlead ${argv.map((word) => flags.get(word) ?? word)}`;
}
