// Pure. The last lines of a process that ended during one event, for its dead letter: Kubernetes keeps the end of the log of a container
// in the status of its pod.
import type { JsonObject } from '../../lib/json.ts';
import { isFrame } from '../../lib/text.ts';
import { logExcerpt } from '../log-excerpt.ts';
import { type EndedProcess, objectInLine, relativeToCode } from './sentence.ts';

/**
 * The member of a line that a supervisor writes after the end of a process, with the number of such ends in its pod: everything before it in
 * the log is of the process before.
 */
export const endedProcessField = 'ended_process';

/** A kubelet keeps at most this much of a log, whatever the beginning of it is in the middle of. */
const maxKeptBytes = 2_048;

/**
 * The event was alone in its process, which may have served others before.
 * @returns what was written since another event logged last, as the SDK would have sent it, the newest line last
 */
export function lastLines({ message = '' }: EndedProcess, eventId: string): readonly string[] {
  const kept = message.replaceAll('\r', '').split('\n');
  // Half a line may be the end of a secret, which nothing recognizes.
  if (Buffer.byteLength(message) >= maxKeptBytes) kept.shift();
  const lines = kept.map((line) => ({ line, json: objectInLine(line) }));
  const other = lines.findLastIndex(({ json }) => isOfOther(json, eventId));
  return logExcerpt(lines.slice(other + 1).flatMap(({ line, json }) => lastLineTexts(line, json)));
}

type LastLineJson = ReturnType<typeof objectInLine>;

function isOfOther(json: LastLineJson, eventId: string): boolean {
  return typeof json?.['event'] === 'string' && json['event'] !== eventId;
}

function lastLineTexts(line: string, json: LastLineJson): readonly string[] {
  if (isOfSdk(json)) return json['event'] === undefined ? [] : [asText(json)];
  if (isNative(line)) return [];
  const { text, isOwn } = relativeToCode(line);
  return isFrame(line) && !isOwn ? [] : [text];
}

interface SdkLine extends JsonObject {
  readonly level: string;
  readonly time: string;
  readonly message: string;
}

/** Without an event it is of the runtime. */
function isOfSdk(json: LastLineJson): json is SdkLine {
  return (['level', 'time', 'message'] as const).every((name) => typeof json?.[name] === 'string');
}

/** Addresses of the machine say nothing to anybody. */
function isNative(line: string): boolean {
  return /^----- |^\s*\d+: 0x/.test(line);
}

function asText({ level, time, message, ...fields }: SdkLine): string {
  const {
    event: _event,
    organization: _organization,
    resource: _resource,
    attempt: _attempt,
    sequence: _sequence,
    trace_id: _trace,
    ...own
  } = fields;
  const shown = Object.entries(own).map(([name, value]) => [
    name,
    typeof value === 'string' ? withoutStack(value) : value,
  ]);
  const said = shown.length === 0 ? '' : ` ${JSON.stringify(Object.fromEntries(shown))}`;
  return `${time} ${level} ${message}${said}`;
}

/** Errors are logged with their stack. */
function withoutStack(text: string): string {
  return relativeToCode(text.split(/\n\s+at /)[0] ?? '').text;
}
