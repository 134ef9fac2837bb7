// Describes where and when a part was measured: versions, machine, load.
import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { testBinaries } from '../../test/support/servers/control-plane.ts';

export interface Setting {
  /** Of Fairlead; with `+` when files differed from it. */
  readonly commit: string;
  readonly node: string;
  readonly kubernetes: string;
  readonly etcd: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  /** Processes that wanted to run in the minute before the programme started. */
  readonly load: number;
}

/** Load per core above which times say little. */
const busyPerCore = 0.25;

const root = join(import.meta.dirname, '../..');

export async function settingHere(): Promise<Setting> {
  const { 'kube-apiserver': apiServer, etcd } = await testBinaries();
  const constrained = process.constrainedMemory();
  // Without a limit, it is 0 or larger than the machine.
  const bytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return {
    commit: commitHere(),
    node: process.versions.node,
    kubernetes: versionIn(execFileSync(apiServer, ['--version'], { encoding: 'utf8' })),
    etcd: versionIn(execFileSync(etcd, ['--version'], { encoding: 'utf8' })),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(bytes / 2 ** 30),
    load: loadavg()[0] ?? Number.NaN,
  };
}

export function isBusy({ load, cores }: Setting): boolean {
  return load > busyPerCore * cores;
}

function versionIn(output: string): string {
  return /\d+\.\d+\.\d+/.exec(output)?.[0] ?? 'unknown';
}

/** The page and its plots may differ: earlier parts have written them. */
function commitHere(): string {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  try {
    const changed = git('status', '--porcelain', '--', '.', ':!docs/performance*');
    return `${git('rev-parse', '--short=7', 'HEAD')}${changed === '' ? '' : '+'}`;
  } catch {
    return 'unknown';
  }
}
