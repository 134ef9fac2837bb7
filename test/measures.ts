// A step of `npm run verify`: counts the form of src/ and prints it. Fails where a number is above its limit in measures.json.
// A commit that raises a limit says why. `node test/measures.ts --lower` lowers them to the next whole numbers,
// `--names` also lists the names that stand in several files.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../src/api/operations.ts';
import { commands } from '../src/cli/commands/table/index.ts';
import { declarationsOf } from './support/tools/measures/declarations.ts';
import { roomsOf } from './support/tools/measures/rooms.ts';

const root = join(import.meta.dirname, '..', 'src');
const limitsPath = join(import.meta.dirname, 'measures.json');

/** Facts that a new field repeats, in every spelling: the number of files is what it costs to add one like it. */
const facts: readonly { name: string; pattern: RegExp; notIn?: RegExp }[] = [
  { name: 'deletion_policy', pattern: /deletion[_-]?policy/i },
  // Streams are paused as well.
  { name: 'paused', pattern: /\bpaused\b/i, notIn: /pace\.ts|log-view/ },
  {
    name: 'expires_at',
    pattern: /\bexpires[_-]?at\b/i,
    // Times of certificates and tokens, which have the same name.
    notIn:
      /certificat|doctor|resource-waits|token|login|credentials|http\/(?:auth|server)|deployment\/|endpoints|^dev\//,
  },
  { name: 'operation_limit_seconds of a type', pattern: /operation[_-]?limit[_-]?seconds/i },
];

const sources = new Map(
  globSync('**/*.{ts,tsx,css}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
);
const scripts = new Map([...sources].filter(([path]) => !path.endsWith('.css')));
const cli = new Map(
  [...scripts].flatMap(([path, text]) =>
    path.startsWith('cli/') ? [[path.slice('cli/'.length), text] as const] : [],
  ),
);

/** Names that a table gives to one function of each side: counting them would punish whoever adds a row. */
const givenNames: readonly { readonly names: ReadonlySet<string>; readonly in: RegExp }[] = [
  { names: new Set(['observe', 'decide', 'act']), in: /^(?:reconcilers|dev\/node)\// },
  // A rule is called as the decision that it makes, and so is what acts on it.
  { names: decisionsOf(scripts), in: /^reconcilers\// },
  // An operation of the API has a route, and perhaps a command of the same name.
  { names: new Set(Object.keys(operations)), in: /^(?:cli\/commands|http\/routes)\// },
];

const thousandsOfLines = linesOf(sources) / 1_000;
const { types, functions } = declarationsOf(
  new Map([...scripts].map(([path, text]) => [`/${path}`, text])),
);
const typesDeclared = sum([...types.values()].map(({ length }) => length));
const { rooms, floors } = roomsOf(cli);
const repeated = {
  types: inSeveralFiles(types),
  functions: inSeveralFiles(withoutGivenNames(functions)),
};
const counted: Readonly<Record<string, number>> = {
  'thousand lines in src': thousandsOfLines,
  'files in src': sources.size,
  ...Object.fromEntries(
    facts.map(({ name, ...fact }) => [`files that name ${name}`, filesThatName(fact)]),
  ),
  'types per 1,000 lines': typesDeclared / thousandsOfLines,
  'type names declared in several files': repeated.types.length,
  'function names defined in several files': repeated.functions.length,
  'lines of the client per command': linesOf(cli) / commands.length,
  'rooms of the client': rooms,
  'floors of the client': floors,
};

const limits: Record<string, number> = JSON.parse(readFileSync(limitsPath, 'utf8'));
for (const [name, count] of Object.entries(counted)) {
  const limit = limits[name] ?? 0;
  const comparison = count > limit ? 'above its limit,' : 'at most';
  process.stdout.write(`${shown(count).padStart(7)} ${name} (${comparison} ${shown(limit)})\n`);
  if (count > limit) process.exitCode = 1;
}
if (process.argv.includes('--names')) {
  process.stdout.write(`${[...repeated.types, ...repeated.functions].join('\n')}\n`);
}
if (process.argv.includes('--lower')) {
  for (const [name, count] of Object.entries(counted)) {
    limits[name] = Math.min(Math.ceil(count), limits[name] ?? Number.POSITIVE_INFINITY);
  }
  writeFileSync(limitsPath, `${JSON.stringify(limits, null, 2)}\n`);
}

function filesThatName({ pattern, notIn }: { pattern: RegExp; notIn?: RegExp }): number {
  const named = [...scripts].filter(([path, text]) => pattern.test(text) && !notIn?.test(path));
  return named.length;
}

/** @returns each name with its files */
function inSeveralFiles(declared: ReadonlyMap<string, readonly string[]>): readonly string[] {
  return [...declared].flatMap(([name, paths]) => {
    const files = [...new Set(paths)];
    return files.length > 1 ? [`${name}: ${files.join(' ')}`] : [];
  });
}

function decisionsOf(texts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const reconcilers = [...texts].filter(([path]) => path.startsWith('reconcilers/'));
  const found = reconcilers.flatMap(([, text]) => [...text.matchAll(/\bdo: '(\w+)'/g)]);
  return new Set(found.map(([, name = '']) => name));
}

function withoutGivenNames(
  declared: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> {
  const isGiven = (name: string, path: string) =>
    givenNames.some((each) => each.names.has(name) && each.in.test(path.slice(1)));
  const rest = [...declared].map(
    ([name, paths]) => [name, paths.filter((path) => !isGiven(name, path))] as const,
  );
  return new Map(rest);
}

function linesOf(files: ReadonlyMap<string, string>): number {
  return sum([...files.values()].map((text) => text.split('\n').length - 1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function shown(count: number): string {
  return count.toLocaleString('en', { maximumFractionDigits: 1 });
}
