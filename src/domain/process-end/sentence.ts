// Pure. Explains a provider crash to its author in one sentence, from its exit and last output. Read the list; the first
// match decides.

import { firstMatch } from '../../lib/first-match.ts';
import { isJsonObject, type JsonObject, jsonIn } from '../../lib/json.ts';
import { isFrame, oneLine, truncate } from '../../lib/text.ts';

/** As Kubernetes reports the end of a container. */
export interface EndedProcess {
  readonly exitCode: number;
  readonly reason?: string;
  /** The end of what it printed. */
  readonly message?: string;
}

interface Crash extends EndedProcess {
  readonly lines: readonly string[];
  /** Such as `The process ended with code 1`. */
  readonly how: string;
}

type Rule = (crash: Crash) => string | undefined;

const rules: readonly Rule[] = [
  killedForMemory,
  heapLimit,
  stepOfOurs,
  cannotRun,
  endedByHandler,
  rejectedWithoutError,
  uncaught,
  printedStack,
  lastLine,
];

const maxSentenceLength = 512;
const maxErrorLength = 400;

/** @param when follows how the process ended @returns a sentence without the folder of the code, cut to 512 characters */
export function crashSentence(ended: EndedProcess, when = ''): string {
  const text = markedPaths((ended.message ?? '').replaceAll('\r', ''));
  const crash = { ...ended, lines: text.split('\n'), how: howItEnded(ended) };
  const found = firstMatch(rules, crash);
  const sentence =
    found === undefined
      ? `${crash.how} without an error message${codePlace(crash.lines)}`
      : shortText(oneLine(found), maxSentenceLength);
  return when === '' ? sentence : sentence.replace(howClause, `$1 ${when}`);
}

const howClause = /^(The process (?:ended with code \d+|was terminated by \w+|ran out of memory))/;

/** The numbers of Linux, where pods run. */
const signals: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  31: 'SIGSYS',
};

function howItEnded({ exitCode }: EndedProcess): string {
  // Shells and container runtimes add 128 to the number of a signal.
  const signal = signals[exitCode - 128];
  return signal === undefined
    ? `The process ended with code ${exitCode}`
    : `The process was terminated by ${signal}`;
}

function killedForMemory({ reason }: Crash): string | undefined {
  return reason === 'OOMKilled' ? 'The process ran out of memory (OOMKilled)' : undefined;
}

function heapLimit({ lines }: Crash): string | undefined {
  const isHeap = lines.some((line) => /^FATAL ERROR: .*out of memory/.test(line));
  return isHeap ? 'The process ran out of memory: JavaScript heap out of memory' : undefined;
}

/** The step that fetches the code ends with `{"code","message"}`. */
function stepOfOurs({ lines }: Crash): string | undefined {
  const { code, message } = objectInLine(lastTextLine(lines) ?? '') ?? {};
  return typeof code === 'string' && typeof message === 'string' ? message : undefined;
}

/** The message of our runtime for code that cannot be loaded, with the stack before it. */
function cannotRun({ lines }: Crash): string | undefined {
  const said = lines.findLast((line) => /^Provider \S+ cannot run: /.test(line));
  return said === undefined ? undefined : `${said}${codePlace(lines)}`;
}

/** The last words of our runtime when a handler ended the process; lines that the author printed before explain less. */
function endedByHandler({ lines, how }: Crash): string | undefined {
  const pattern = /^The handler of \S+ ended the process: (.+)$/;
  const [, error] =
    lines.map((line) => pattern.exec(line)).findLast((match) => match !== null) ?? [];
  return error === undefined ? undefined : `${how}: ${error}`;
}

function rejectedWithoutError({ lines, how }: Crash): string | undefined {
  const pattern = /^UnhandledPromiseRejection: .*rejected with the reason "(.*)"\.$/;
  const [, reason] = lines.map((line) => pattern.exec(line)).find((match) => match !== null) ?? [];
  return reason === undefined
    ? undefined
    : `${how}: a promise was rejected with ${shortText(reason)}`;
}

/** Node prints the line of the code, carets below the throw, and then the thrown value. */
function uncaught({ lines, how }: Crash): string | undefined {
  const carets = lines.findLastIndex((line) => /^\s*\^+$/.test(line));
  const thrown = lines.slice(carets + 1);
  if (carets < 0 || !thrown.some(isNodeVersion)) return undefined;
  return `${how}: ${thrownError(thrown)}${codePlace([...thrown, ...lines.slice(0, carets)])}`;
}

/** When a stack is longer than the stored part of the log, its beginning is missing. */
function printedStack({ lines, how }: Crash): string | undefined {
  if (!lines.some(isNodeVersion)) return undefined;
  const frame = lines.findIndex(isFrame);
  const head = frame > 0 ? lines[frame - 1] : undefined;
  return head === undefined ? undefined : `${how}: ${shortText(head.trim())}${codePlace(lines)}`;
}

function lastLine({ lines, how }: Crash): string | undefined {
  const told = lines.findLast((line) => line.trim() !== '' && !isLogNoise(line));
  const words = told === undefined ? undefined : (objectInLine(told)?.message ?? told);
  return typeof words === 'string'
    ? `${how}: ${shortText(words.trim())}${codePlace(lines)}`
    : undefined;
}

/** @returns the thrown error, its message in one line, with its cause */
function thrownError(thrown: readonly string[]): string {
  const end = thrown.findIndex((line) => isFrame(line) || isNodeVersion(line) || isHint(line));
  const error = shortText(oneLine(thrown.slice(0, end).join(' ')));
  const causes = thrown.map((line) => /^\s+\[cause\]: (.+)/.exec(line)?.[1]);
  const cause = causes.find((each) => each !== undefined);
  return cause === undefined ? error : `${error}, caused by ${shortText(cause)}`;
}

const codeFolder = /(?:file:\/\/)?\/(?:[^\s'"()]*\/)?(?:workspace|volumes\/code)\/code\//g;

function markedPaths(text: string): string {
  return text.replaceAll(codeFolder, '\ue000');
}

/** @returns the text without the folder of the code, and whether it names a file of the author's own in it */
export function relativeToCode(text: string): { readonly text: string; readonly isOwn: boolean } {
  const inside = markedPaths(text);
  const isOwn = /\ue000(?!node_modules\/)/.test(inside);
  return { text: inside.replaceAll('\ue000', ''), isOwn };
}

const inCode = /\ue000([^\s()'"\ue000]+?):(\d+)(?::\d+)?\)?$/;

/** @returns ` (file:line)` of the author's own code, else of a dependency, else nothing */
function codePlace(lines: readonly string[]): string {
  const places = lines.flatMap((line) => {
    const [, file, number] = inCode.exec(line) ?? [];
    return file === undefined ? [] : [`${file}:${number}`];
  });
  const place = places.find((each) => !each.startsWith('node_modules/')) ?? places[0];
  return place === undefined ? '' : ` (${place})`;
}

function isNodeVersion(line: string): boolean {
  return /^Node\.js v\d/.test(line);
}

function isHint(line: string): boolean {
  return line.startsWith('(Use `node --trace-uncaught');
}

/** Stack lines, and what is logged in normal operation. */
function isLogNoise(line: string): boolean {
  const { level } = objectInLine(line) ?? {};
  if (level === 'info' || level === 'debug') return true;
  return isFrame(line) || isNodeVersion(line) || /^----- |^\s*\d+: /.test(line);
}

function lastTextLine(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => line.trim() !== '');
}

/** @returns the JSON object that a line is; undefined for another line */
export function objectInLine(line: string): JsonObject | undefined {
  const value = jsonIn(line);
  return isJsonObject(value) ? value : undefined;
}

function shortText(text: string, maxLength = maxErrorLength): string {
  return truncate(text.replaceAll('\ue000', ''), maxLength);
}
