// `npm run test:security`: runs the tests whose titles begin with ids of the security catalogue, prints the result of each row,
// and then the rows without tests with the reason. Fails when a test fails, or when a row has neither tests nor a reason.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { catalogue, untested } from './support/fixtures/security-catalogue.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const rowId = /\[([A-Z]\d{1,2})\]/;

const writeLine = (line: string) => process.stdout.write(`${line}\n`);

interface Tally {
  passed: number;
  readonly failed: string[];
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

async function filesWithRows(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of ['test/unit', 'test/integration', 'test/security', 'test/faults/kube']) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      if (!name.endsWith('.test.ts')) continue;
      const path = join(folder, name);
      if (rowId.test(await readFile(join(root, path), 'utf8'))) found.push(path);
    }
  }
  return found;
}

async function runTests(files: readonly string[]): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-security-'));
  const outputFile = join(folder, 'report.json');
  const PATH = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const projects = ['unit', 'integration', 'security', 'kube-faults'].map(
    (name) => `--project=${name}`,
  );
  const child = spawn(
    'vitest',
    [
      'run',
      ...projects,
      '--reporter=json',
      `--outputFile=${outputFile}`,
      '-t',
      '\\[[A-Z][0-9]+\\]',
      ...files,
    ],
    { cwd: root, env: { ...process.env, PATH }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await new Promise((ended) => child.once('close', ended));
  try {
    return JSON.parse(await readFile(outputFile, 'utf8')) as Report;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function tallied({ testResults }: Report): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  const results = testResults.flatMap((each) => each.assertionResults);
  for (const { status, title, failureMessages = [] } of results) {
    const id = rowId.exec(title)?.[1];
    if (id === undefined || !['passed', 'failed'].includes(status)) continue;
    const tally = tallies.get(id) ?? { passed: 0, failed: [] };
    tallies.set(id, tally);
    if (status === 'passed') tally.passed += 1;
    else tally.failed.push([title, ...failureMessages].join('\n'));
  }
  return tallies;
}

/** @returns whether every row has passing tests, or a reason for having none */
function print(tallies: ReadonlyMap<string, Tally>): boolean {
  let ok = true;
  const ids = [...new Set([...catalogue, ...tallies.keys()])];
  for (const id of ids) {
    const { passed, failed } = tallies.get(id) ?? { passed: 0, failed: [] };
    if (passed + failed.length === 0) continue;
    const word = failed.length === 0 ? 'passed' : 'FAILED';
    writeLine(`${id.padEnd(4)} ${word}  ${passed} of ${passed + failed.length}`);
    for (const title of failed) writeLine(`       ${title}`);
    ok &&= failed.length === 0;
  }
  writeLine('\nRows without tests:');
  for (const id of catalogue.filter((each) => !tallies.has(each))) {
    writeLine(`${id.padEnd(4)} ${untested[id] ?? 'NO REASON GIVEN'}`);
    ok &&= untested[id] !== undefined;
  }
  return ok;
}

const report = await runTests(await filesWithRows());
let ok = print(tallied(report));
// A file that cannot be loaded, or whose preparation fails, has no test results.
for (const { name, status, message, assertionResults } of report.testResults) {
  if (status !== 'failed' || assertionResults.some((each) => each.status === 'failed')) continue;
  writeLine(`\nFAILED ${relative(root, name)}: ${message}`);
  ok = false;
}
process.exitCode = ok ? 0 : 1;
