// Maps the failure of a build command and its output to one line that the author of the code understands. The first rule
// that matches provides the message.

import { stripVTControlCharacters } from 'node:util';
import { firstMatch } from '../../lib/first-match.ts';
import type { ChildExit } from './child.ts';
import type { BuildFailureCode } from './failure-codes.ts';

export interface BuildFailure {
  readonly kind: 'failed';
  readonly code: BuildFailureCode;
  /** One line. */
  readonly message: string;
}

export type BuildStep = 'install' | 'build' | 'prune' | 'types';

/** The failed end of a command. */
interface StepEnd extends Pick<ChildExit, 'code' | 'signal' | 'isLate'> {
  readonly step: BuildStep;
  /** As its author would write it, such as `npm ci`. */
  readonly command: string;
  readonly timeoutMs: number;
  readonly lines: readonly string[];
  /** @returns the first line of a file of the code, with its end; undefined when there is none */
  readonly firstLineOf?: (path: string) => string | undefined;
}

type Rule = (end: StepEnd) => BuildFailure | undefined;

const rules: readonly Rule[] = [
  tookTooLong,
  diskFull,
  outOfMemory,
  notInRegistry,
  noSuchVersion,
  conflictingDependencies,
  lockOutOfDate,
  unreadableManifest,
  registryOutOfReach,
  compilerMissing,
  installScript,
  otherInstallFailure,
  typeErrors,
  missingTool,
  scriptFailed,
];

const maxMessageLength = 1_024;
const shownLines = 3;

export function stepFailure(end: Omit<StepEnd, 'lines'> & Pick<ChildExit, 'text'>): BuildFailure {
  const lines = stripVTControlCharacters(end.text).split(/\r?\n/);
  const failure = firstMatch(rules, { ...end, lines });
  return failure ?? codedFailure('script_failed', `${end.command} failed`);
}

export function codedFailure(code: BuildFailureCode, message: string): BuildFailure {
  const line = message.replaceAll(/\s+/g, ' ').trim();
  const cut = line.length > maxMessageLength ? `${line.slice(0, maxMessageLength - 2)} …` : line;
  return { kind: 'failed', code, message: cut };
}

function tookTooLong({ isLate, command, timeoutMs }: StepEnd) {
  if (!isLate) return undefined;
  const time =
    timeoutMs < 60_000 ? `${timeoutMs / 1_000} s` : `${Math.round(timeoutMs / 60_000)} min`;
  return codedFailure('timeout', `${command} took longer than ${time} and was stopped`);
}

function diskFull({ lines, command }: StepEnd) {
  if (firstMatchIn(lines, /\bENOSPC\b|\bEDQUOT\b|No space left on device/i) === undefined)
    return undefined;
  return codedFailure('disk_full', `${command} ran out of disk space`);
}

/** The kernel kills the largest process, which may be a grandchild: then a shell reports 137 or prints a message. */
function outOfMemory({ lines, command, code, signal }: StepEnd) {
  const isKilled = signal === 'SIGKILL' || code === 137;
  const said = firstMatchIn(
    lines,
    /JavaScript heap out of memory|\bENOMEM\b|npm error signal SIGKILL/,
  );
  if (!isKilled && said === undefined) return undefined;
  return codedFailure('out_of_memory', `${command} ran out of memory`);
}

function notInRegistry({ step, lines }: StepEnd) {
  if (step !== 'install' || !hasCode(lines, 'E404')) return undefined;
  const [, which] =
    firstMatchIn(lines, /^npm error 404\s+(?:The requested resource )?'([^']+)'/) ?? [];
  return codedFailure(
    'dependency_not_found',
    `Dependency ${which ?? 'of package.json'} was not found in the npm registry, or access to it is denied`,
  );
}

function noSuchVersion({ step, lines }: StepEnd) {
  if (step !== 'install' || !hasCode(lines, 'ETARGET')) return undefined;
  const [, which] = firstMatchIn(lines, /No matching version found for (\S+?)\.?(?:\s|$)/) ?? [];
  return codedFailure(
    'dependency_not_found',
    `No version in the npm registry matches dependency ${which}`,
  );
}

function conflictingDependencies({ step, lines }: StepEnd) {
  if (step !== 'install' || !hasCode(lines, 'ERESOLVE')) return undefined;
  const [, have] = firstMatchIn(lines, /^npm error Found: (.+)/) ?? [];
  const at = lines.indexOf('npm error Could not resolve dependency:');
  const want = lines[at + 1]?.replace(/^npm error /, '').trim();
  return codedFailure('dependency_conflict', `Dependencies conflict: ${want}, but found ${have}`);
}

function lockOutOfDate({ step, lines }: StepEnd) {
  if (step !== 'install' || !hasCode(lines, 'EUSAGE')) return undefined;
  const [, detail] = firstMatchIn(lines, /^npm error ((?:Missing|Invalid): .+)/) ?? [];
  const more = detail === undefined ? '' : ` (${detail})`;
  return codedFailure(
    'lock_mismatch',
    `The lock file does not match package.json${more}; run npm install and push both`,
  );
}

function unreadableManifest({ step, lines }: StepEnd) {
  if (step !== 'install') return undefined;
  if (hasCode(lines, 'EJSONPARSE'))
    return codedFailure('invalid_package', 'package.json is not valid JSON');
  const [, detail] =
    firstMatchIn(lines, /^npm error (Invalid (?:tag|package|version|name|dependency).*)/i) ?? [];
  return detail === undefined
    ? undefined
    : codedFailure('invalid_package', `package.json: ${detail}`);
}

function registryOutOfReach({ step, lines }: StepEnd) {
  if (step !== 'install') return undefined;
  const codes =
    'ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ERR_SOCKET_TIMEOUT|EHOSTUNREACH|ENETUNREACH|FETCH_ERROR';
  const pattern = new RegExp(`^npm error code (?:${codes})$`);
  if (firstMatchIn(lines, pattern) === undefined) return undefined;
  const [, where] = firstMatchIn(lines, /request to (\S+) failed/) ?? [];
  return codedFailure(
    'registry_unreachable',
    `The npm registry is unreachable${where === undefined ? '' : ` (${where})`}`,
  );
}

/** A native module without a binary for this platform is compiled by node-gyp. */
function compilerMissing({ step, lines }: StepEnd) {
  if (step !== 'install' || firstMatchIn(lines, /\bgyp ERR!|\bnode-gyp\b/) === undefined)
    return undefined;
  const whose = dependencyIn(lines) ?? 'The package';
  return codedFailure(
    'needs_compiler',
    `${whose} is a native module that would have to be compiled, and builds have no compiler; use a version with a binary for Node.js ${process.versions.node} on ${process.platform}-${process.arch}, or another package`,
  );
}

/** @returns the package in node_modules whose script failed */
function dependencyIn(lines: readonly string[]): string | undefined {
  const [, path = ''] = firstMatchIn(lines, /^npm error path (.+)/) ?? [];
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
}

/** The script of the package itself or of a dependency. */
function installScript({ step, lines }: StepEnd) {
  if (step !== 'install') return undefined;
  if (
    firstMatchIn(lines, /^npm error path (.+)/) === undefined ||
    firstMatchIn(lines, /^npm error command failed/) === undefined
  )
    return undefined;
  const dependency = dependencyIn(lines);
  const whose =
    dependency === undefined
      ? 'An install script of the package'
      : `The install script of ${dependency}`;
  return codedFailure('script_failed', `${whose} failed: ${lastWords(lines)}`);
}

function otherInstallFailure({ step, lines, command }: StepEnd) {
  if (step !== 'install' && step !== 'prune') return undefined;
  const said = lines.filter((line) => line.startsWith('npm error ') && !isNoise(line));
  const [code, ...rest] = said.map((line) => line.slice('npm error '.length));
  const words = [code?.replace(/^code /, ''), ...rest.slice(0, shownLines - 1)].join('; ');
  return codedFailure('install_failed', `${command} failed: ${words || lastWords(lines)}`);
}

const plainTypeError =
  /^(?<file>[^\s(][^(]*)\((?<line>\d+),\d+\): error (?<code>TS\d+): (?<says>.+)/;
const prettyTypeError = /^(?<file>\S.*?):(?<line>\d+):\d+ - error (?<code>TS\d+): (?<says>.+)/;
const globalTypeError = /^error (?<code>TS\d+): (?<says>.+)/;

function typeErrors({ step, lines }: StepEnd) {
  if (step !== 'build') return undefined;
  const patterns = [plainTypeError, prettyTypeError, globalTypeError];
  const all = lines.flatMap((line) => {
    const groups = patterns.map((pattern) => pattern.exec(line.trim())?.groups).find(Boolean);
    return groups === undefined ? [] : [groups];
  });
  const [first] = all;
  if (first === undefined) return undefined;
  const { file, line, code, says } = first;
  const where = file === undefined ? 'of the compiler' : `in ${file}, line ${line}`;
  const more = all.length > 1 ? ` (and ${all.length - 1} more)` : '';
  return codedFailure('type_error', `Type error ${where}: ${says} [${code}]${more}`);
}

function missingTool({ step, lines, code, firstLineOf }: StepEnd) {
  if (step !== 'build' || code !== 127) return undefined;
  const notFound =
    /(?:^|: )([\w@./-]+): (?:(?:command )?not found|cannot execute: required file not found)$/;
  const [, tool] = firstMatchIn(lines, notFound) ?? [];
  if (tool === undefined) return undefined;
  const start = tool.includes('/') ? firstLineOf?.(tool) : undefined;
  if (start !== undefined) return codedFailure('script_failed', interpreterMissing(tool, start));
  return codedFailure(
    'script_failed',
    `The build script runs ${tool}, which is not installed; add it to the dependencies in package.json`,
  );
}

/** A shell reports a script without its interpreter as not found. */
function interpreterMissing(script: string, start: string): string {
  const interpreter = /^#!\s*(.*?)\s*$/.exec(start)?.[1] ?? 'of its first line';
  const advice = start.endsWith('\r\n')
    ? `its lines end as those of Windows (CRLF), and the interpreter is then "${interpreter}\\r"; save it with LF`
    : 'use one that is in the image of builds, or run it with node';
  return `The build script runs ${script}, whose interpreter ${interpreter} was not found: ${advice}`;
}

function scriptFailed({ lines, command, code, signal }: StepEnd) {
  const how = signal === null ? `ended with code ${code}` : `was terminated by ${signal}`;
  return codedFailure('script_failed', `${command} ${how}: ${lastWords(lines)}`);
}

function hasCode(lines: readonly string[], code: string): boolean {
  return lines.includes(`npm error code ${code}`);
}

function firstMatchIn(lines: readonly string[], pattern: RegExp): RegExpExecArray | undefined {
  for (const line of lines) {
    const match = pattern.exec(line);
    if (match !== null) return match;
  }
  return undefined;
}

function lastWords(lines: readonly string[]): string {
  const said = lines.map((line) => line.trim()).filter((line) => line !== '' && !isNoise(line));
  const words = said.slice(-shownLines).map((line) => line.replace(/^npm error /, ''));
  return words.join(' | ') || 'no output';
}

/** Matches npm's generic failure lines, and stack traces. */
function isNoise(line: string): boolean {
  return /^npm (?:warn|notice)|^npm error (?:A complete log|code |path |command |errno |syscall )|^npm error$|^> |^at |^Node\.js v/.test(
    line,
  );
}
