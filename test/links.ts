// A step of `npm run verify`: checks every relative link, #anchor and path of the documents. Prints one line per broken one.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkProblems } from './support/tools/document-links.ts';

const root = join(import.meta.dirname, '..');
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/**/*.md',
  'src/README.md',
  'src/cli/README.md',
  'charts/fairlead/README.md',
  'examples/**/*.md',
];

const paths = globSync(documents, {
  cwd: root,
  exclude: (name) => name.includes('node_modules'),
}).map((path) => path.replaceAll('\\', '/'));
const repository = {
  exists: (path: string) => existsSync(join(root, path)),
  read: (path: string) => readFileSync(join(root, path), 'utf8'),
};
const problems = paths.sort().flatMap((path) => linkProblems(path, repository));
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (paths.length === 0) process.stdout.write('There are no documents\n');
process.exitCode = problems.length === 0 && paths.length > 0 ? 0 : 1;
