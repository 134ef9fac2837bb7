// Provides promtool, which checks Prometheus rules and metrics: from the search path, or built from its published Go
// modules once (some minutes) and cached.
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { loadConfig } from '../../../src/app/config/index.ts';
import { findProgram } from '../../../src/dev/search-path.ts';

const version = 'v0.312.0';
const module = 'github.com/prometheus/prometheus';
const program = `${module}/cmd/promtool`;
const run = promisify(execFile);

export interface Verdict {
  readonly passed: boolean;
  /** All of its output. */
  readonly output: string;
}

export type Promtool = (words: readonly string[], input?: string) => Promise<Verdict>;

/** @returns undefined where there is neither promtool nor Go to build it with */
export async function findPromtool(): Promise<Promtool | undefined> {
  const binary = onPath('promtool') ?? (await built());
  return binary === undefined ? undefined : (words, input) => judge(binary, words, input);
}

async function judge(binary: string, words: readonly string[], input = ''): Promise<Verdict> {
  const child = spawn(binary, words, { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = Promise.withResolvers<number | null>();
  child.once('error', ended.reject);
  child.once('close', ended.resolve);
  child.stdin.end(input);
  const [code, ...output] = await Promise.all([
    ended.promise,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { passed: code === 0, output: output.join('') };
}

function onPath(name: string): string | undefined {
  return findProgram(name, loadConfig([]).binaries.searchPath);
}

async function built(): Promise<string | undefined> {
  const cache = join(loadConfig([]).cacheFolder, 'promtool');
  const binary = join(cache, `${process.platform}-${process.arch}-${version}`);
  if (existsSync(binary)) return binary;
  const go = onPath('go');
  if (go === undefined) return undefined;
  process.stderr.write('  Building promtool with Go, once (some minutes) …\n');
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'build-'));
  try {
    // `go install` rejects modules with `replace`, which only affect the main module: a module of our own requires this
    // one.
    await writeFile(join(work, 'go.mod'), `module promtool\n\nrequire ${module} ${version}\n`);
    await writeFile(join(work, 'tools.go'), `package tools\n\nimport _ "${program}"\n`);
    // Without service discovery, which needs the libraries of a dozen clouds.
    const flags = ['-buildvcs=false', '-trimpath', '-tags=remove_all_sd', '-ldflags=-s -w'];
    const made = ['-o', join(work, 'promtool'), program];
    const settings = ['CGO_ENABLED=0', go];
    await run('/usr/bin/env', [...settings, 'build', '-mod=mod', ...flags, ...made], { cwd: work });
    await rename(join(work, 'promtool'), binary);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return binary;
}
