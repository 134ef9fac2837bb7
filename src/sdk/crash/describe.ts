// Pure. Describes what ended a process: in one line for the event, and with its stack for the log. It never throws.
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { isFrame, oneLine } from '../../lib/text.ts';
import { ProcessExit } from './process-exit.ts';

export interface Description {
  /** One line of at most 512 characters without the folder of the code, such as `Error: Boom (index.ts:15)`. */
  readonly message: string;
  /** With the stack and the causes, as Node prints it. */
  readonly full: string;
}

const maxErrorLength = 400;
const maxPlaceLength = 100;
const maxFullLength = 64 * 1_024;

/** @param codeFolder the folder of the author's code, without symbolic links */
export function describe(thrown: unknown, codeFolder: string): Description {
  const full = inspectText(thrown);
  const lines = relative(full, codeFolder).split('\n');
  const error = thrown instanceof ProcessExit ? thrown.message : errorLine(lines);
  return {
    message: shortDescription(error, maxErrorLength) + framePlace(lines),
    full: shortDescription(full, maxFullLength),
  };
}

function inspectText(thrown: unknown): string {
  try {
    if (typeof thrown === 'string') return thrown;
    return thrown instanceof ProcessExit ? (thrown.stack ?? thrown.message) : inspect(thrown);
  } catch {
    return 'a value that cannot be shown';
  }
}

/** @returns the error in one line, with its cause */
function errorLine(lines: readonly string[]): string {
  const end = lines.findIndex(isFrame);
  const head = oneLine(lines.slice(0, end < 0 ? undefined : end).join(' '));
  const [, reason] = rejection.exec(head) ?? [];
  if (reason !== undefined) return `a promise was rejected with ${reason}`;
  // An error without frames is shown in brackets.
  const [, error = head] = /^\[(.*)\]$/.exec(head) ?? [];
  const causes = lines.map((line) => /^\s+\[cause\]: (.+)/.exec(line)?.[1]);
  const cause = causes.find((each) => each !== undefined);
  return cause === undefined ? error : `${error}, caused by ${oneLine(cause)}`;
}

/** Node makes this error of a rejection with another value than an error. */
const rejection = /^UnhandledPromiseRejection: .*rejected with the reason "(.*)"\./;

// Stands for the folder of the code, with its last separator.
const inFolder = '\ue000';
// The last frame of an error with fields is followed by ` {`.
const place = new RegExp(`${inFolder}([^\\s()'"${inFolder}]+?):(\\d+)(?::\\d+)?\\)?(?: \\{)?$`);

/**
 * @param line text that the author's code printed
 * @returns it without the folder of the code; undefined for a line of a stack that shows no place in the author's own code
 */
export function shownFrame(line: string, codeFolder: string): string | undefined {
  const shown = relative(line, codeFolder);
  const isOfOthers = isFrame(shown) && !ownFrame.test(shown);
  return isOfOthers ? undefined : shown.replaceAll(inFolder, '');
}

const ownFrame = new RegExp(`${inFolder}(?!node_modules/)`);

/** @returns a text in which paths of the folder are relative to it */
export function withoutFolder(text: string, codeFolder: string): string {
  return relative(text, codeFolder).replaceAll(inFolder, '');
}

/** @returns ` (file:line)` of the code in frames of a stack, the author's own before a dependency; empty without one */
export function placeIn(frames: readonly string[], codeFolder: string): string {
  return framePlace(frames.map((frame) => relative(frame, codeFolder)));
}

function relative(text: string, folder: string): string {
  const root = folder.endsWith(sep) ? folder : folder + sep;
  // Every path begins with it.
  if (root === sep) return text;
  return text.replaceAll(pathToFileURL(root).href, inFolder).replaceAll(root, inFolder);
}

/** @returns ` (file:line)` of the author's own code, else of a dependency, else nothing */
function framePlace(lines: readonly string[]): string {
  const places = lines.filter(isFrame).flatMap((line) => {
    const [, file, number] = place.exec(line) ?? [];
    return file === undefined ? [] : [`${file}:${number}`];
  });
  const own = places.find((each) => !each.startsWith('node_modules/')) ?? places[0];
  return own === undefined || own.length > maxPlaceLength ? '' : ` (${own})`;
}

function shortDescription(text: string, maxLength: number): string {
  const shown = text.replaceAll(inFolder, '');
  return shown.length > maxLength ? `${shown.slice(0, maxLength - 1)}…` : shown;
}
