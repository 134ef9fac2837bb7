// Creates the only logger: JSON lines on stderr, with everything that could be a secret redacted.
import { type Logger, pino, stdTimeFunctions } from 'pino';
import type { Log } from '../lib/log.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

// Callers log neither bodies nor tokens; this is a second safeguard.
const secretFields = ['authorization', 'token', 'password', 'secret', 'config', 'outputs'];

export function createLogger({ level, component }: { level: LogLevel; component: string }): Log {
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
    process.stderr,
  );
  return adapt(logger);
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

interface Described {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly status?: unknown;
  readonly stack?: string | undefined;
}

/** Name, message and codes only: an error's own fields may contain a whole request. The stack is for our own bugs. */
function describeError(thrown: unknown): Described | string {
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
