// Reports the results of a run on a real cluster: versions, and the duration of each step.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installation } from './installation.ts';

const file = join(import.meta.dirname, '../../../docs/cluster-report.md');

export class ClusterReport {
  readonly #facts: [string, string][] = [];
  readonly #steps: { readonly name: string; readonly passed: boolean; readonly seconds: number }[] =
    [];

  fact(name: string, value: string): void {
    this.#facts.push([name, value]);
  }

  step(name: string, passed: boolean, ms: number): void {
    this.#steps.push({ name, passed, seconds: ms / 1_000 });
  }

  async versions(at: Installation, image: string): Promise<void> {
    const version = JSON.parse(await at.kubectl('version', '-o', 'json')) as {
      readonly serverVersion: { readonly gitVersion: string };
      readonly clientVersion: { readonly gitVersion: string };
    };
    const node = (field: string) => at.read(`{.items[*].status.nodeInfo.${field}}`, 'nodes');
    this.fact('Date', new Date().toISOString().slice(0, 10));
    this.fact('Image', image);
    this.fact('Kubernetes', version.serverVersion.gitVersion);
    this.fact(
      'Nodes',
      (await at.kubectl('get', 'nodes', '-o', 'name')).trim().split('\n').length.toString(),
    );
    this.fact('Runtime', await node('containerRuntimeVersion'));
    this.fact('System', `${await node('osImage')}, ${await node('architecture')}`);
    this.fact('Helm', (await at.helm('version', '--short')).trim());
    this.fact('kubectl', version.clientVersion.gitVersion);
  }

  async print(): Promise<void> {
    const text = this.#text();
    process.stdout.write(`\n${text}\n`);
    if (process.env['FAIRLEAD_WRITE_REPORT'] === 'true') await writeFile(file, text);
  }

  #text(): string {
    const failed = this.#steps.filter(({ passed }) => !passed).length;
    const facts = this.#facts.map(([name, value]) => `| ${name} | ${value} |`);
    const steps = this.#steps.map(
      ({ name, passed, seconds }, at) =>
        `| ${at + 1} | ${name} | ${passed ? 'passed' : 'FAILED'} | ${seconds.toFixed(1)} |`,
    );
    return [
      '# The last run on a real cluster',
      '',
      'Written by `FAIRLEAD_WRITE_REPORT=true npm run test:cluster`.',
      '',
      '| | |',
      '|---|---|',
      ...facts,
      '',
      '| | Step | | Seconds |',
      '|---|---|---|---|',
      ...steps,
      '',
      `${this.#steps.length - failed} passed, ${failed} failed.`,
      '',
    ].join('\n');
  }
}
