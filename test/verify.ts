// `npm run verify`: regenerates generated files, checks links, format, types, lint and architecture, measures src/, and then checks
// that the generated files are committed. With CI=true, the whole tree must be clean. Prints one line per step; exit code 1 when a
// step fails.
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const generated = [
  ...['crds', 'sdk', 'manifests', 'charts', 'docs'],
  ...['README.md', 'Dockerfile', 'package-lock.json'],
];
const inCi = process.env['CI'] === 'true';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** What to do when the step fails. */
  readonly advice: string;
  /** Any output is a failure. */
  readonly mustBeSilent?: boolean;
  /** Its output is printed where it succeeds, too. */
  readonly isReport?: boolean;
}

const steps: readonly Step[] = [
  {
    name: 'generate',
    command: [process.execPath, 'src/crds/generate.ts'],
    advice:
      'A schema in src/crds cannot be expressed as a CustomResourceDefinition; the message above names the schema.',
  },
  {
    name: 'generate the permissions',
    command: [process.execPath, 'src/permissions/generate.ts'],
    advice:
      'src/permissions generates manifests/ from the rules beside the code; see the message above.',
  },
  {
    name: 'generate the SDK',
    command: [process.execPath, 'packaging/sdk.ts'],
    advice:
      'src/sdk does not compile to JavaScript with declarations; the message above names the place.',
  },
  {
    name: 'generate the access table',
    command: [process.execPath, 'src/http/auth/access-table.ts'],
    advice: 'docs/authentication.md lacks the markers of the access table.',
  },
  {
    name: 'generate the chart and docs/',
    command: [process.execPath, 'packaging/generate.ts'],
    advice:
      'packaging/ generates definitions, permissions and the table of values of the chart, and pages of docs/; see the message above.',
  },
  {
    name: 'links of documents',
    command: [process.execPath, 'test/links.ts'],
    advice:
      'Each link and each path must lead to a file of the repository, and its anchor to a heading of that file.',
  },
  {
    name: 'format and lint (biome)',
    command: [
      'biome',
      'ci',
      '--error-on-warnings',
      ...(process.stdout.isTTY ? [] : ['--colors=off']),
    ],
    advice: 'npx biome check --write . repairs most findings.',
  },
  {
    name: 'types (tsc)',
    command: ['tsc', '-p', '.'],
    advice: 'See the messages above.',
  },
  {
    name: 'types of the console (tsc)',
    command: ['tsc', '-p', 'src/console'],
    advice: 'See the messages above.',
  },
  {
    name: 'promises and switches (oxlint)',
    command: ['oxlint', '--type-aware'],
    advice:
      'The error of a promise that is not awaited is lost: await it, return it, or use void with a comment.',
  },
  {
    name: 'architecture',
    command: ['vitest', 'run', '--project', 'unit', 'test/unit/architecture.test.ts'],
    advice: 'src/README.md lists the allowed imports.',
  },
  {
    name: 'measures of src/',
    command: [process.execPath, 'test/measures.ts'],
    isReport: true,
    advice:
      'The form grew. Write it with fewer files, types and names, or raise the limit in test/measures.json and say why in the commit.',
  },
  {
    name: inCi ? 'clean tree' : 'generated files are committed',
    command: ['git', 'status', '--porcelain', ...(inCi ? [] : ['--', ...generated])],
    mustBeSilent: true,
    advice:
      'These files differ from the commit. Run npm run generate, and commit them together with their sources.',
  },
];

async function run({
  command,
  mustBeSilent = false,
}: Step): Promise<{ ok: boolean; output: string }> {
  const [program, ...parameters] = command;
  const PATH = [join(root, 'node_modules', '.bin'), process.env['PATH']].join(delimiter);
  const child = spawn(program, parameters, {
    cwd: root,
    env: { ...process.env, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on('close', resolve);
  child.on('error', (error) => {
    chunks.push(Buffer.from(`${error.message}\n`));
    resolve(null);
  });
  const code = await promise;
  const output = Buffer.concat(chunks).toString();
  return { ok: code === 0 && !(mustBeSilent && output.trim() !== ''), output };
}

let failed = 0;
for (const step of steps) {
  const startedAt = performance.now();
  const { ok, output } = await run(step);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)`);
  if (ok && step.isReport) console.log(output.trimEnd());
  if (ok) continue;
  failed += 1;
  console.log(`${output.trimEnd()}\n${step.advice}\n`);
}
process.exitCode = failed === 0 ? 0 : 1;
