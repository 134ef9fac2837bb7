// Creates the only logger: JSON lines on stderr, with everything that could be a secret redacted.
import { type Logger, pino, stdTimeFunctions } from 'pino';
import type { Log } from '../lib/log.ts';
import { clean } from '../lib/text.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
// Callers log neither bodies nor tokens; this is a second safeguard.
const secretFields = ['authorization', 'token', 'password', 'secret', 'config', 'outputs'];

interface LoggerOptions {
  readonly level: (typeof logLevels)[number];
  readonly component: string;
  /** Where people read, each entry is a line of text. */
  readonly forPeople?: boolean;
}

export function createLogger({ level, component, forPeople = false }: LoggerOptions): Log {
  const paths = secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);
  const logger = pino(
    {
      level,
      base: { component },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: '[redacted]' },
      serializers: { error: describeError },
    },
    forPeople
      ? { write: (line) => process.stderr.write(`${lineForPeople(line)}\n`) }
      : process.stderr,
  );
  return adapt(logger);
}

const maxLineBytes = 2_048;
/** A line of progress may be on the screen already, which ends without a line end. */
const overwritten = '\r\u001b[K';

/** @example lineForPeople('{"level":"warn","msg":"Late","kind":"Pod"}') // '  warn: Late (kind Pod)', after what clears the line */
export function lineForPeople(json: string): string {
  const { level, msg, time: _, component: _c, ...fields } = JSON.parse(json) as LoggerFields;
  const details = Object.entries(fields).map(([name, value]) => `${name} ${loggedError(value)}`);
  const text = `${String(msg)}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
  return `${overwritten}  ${String(level)}: ${clean(text.replace(/\s+/g, ' '), maxLineBytes)}`;
}

type LoggerFields = Readonly<Record<string, unknown>>;

function loggedError(value: unknown): string {
  const { message } = (typeof value === 'object' && value !== null ? value : {}) as LoggerFields;
  if (typeof message === 'string') return message;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function adapt(logger: Logger): Log {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    child: (fields) => adapt(logger.child(fields)),
  };
}

interface DescribedError {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly status?: unknown;
  readonly stack?: string | undefined;
}

/** Name, message and codes only: an error's own fields may contain a whole request. The stack is for our own bugs. */
function describeError(thrown: unknown): DescribedError | string {
  if (!(thrown instanceof Error)) return String(thrown).slice(0, 1_024);
  const { name, message, stack } = thrown;
  const { code, reason, status } = thrown as { code?: unknown; reason?: unknown; status?: unknown };
  const known = code !== undefined || reason !== undefined;
  return {
    name,
    message: message.slice(0, 1_024),
    code,
    reason,
    status,
    ...(known ? {} : { stack: stack?.slice(0, 4_096) }),
  };
}
