// The life of a provider in a process: `check` and `start` before its first handler, `stop` after its last one.
import { setTimeout as pause } from 'node:timers/promises';
import { settingsProblems } from '../../domain/schemas/setting-schema.ts';
import { type AnyObject, type HandlerLog, isCallMember, type StartCall } from '../call.ts';
import { thrownText } from '../failure-text.ts';
import { contextMask } from '../logs/context-mask.ts';
import { maskedLog } from '../logs/log.ts';
import { maskedWork } from '../logs/printed.ts';
import type { Provider } from '../provider.ts';
import { parseSettings, settingSecrets, withoutSettings } from '../settings.ts';

export interface Lifetime {
  /** Parsed. */
  readonly settings: AnyObject;
  /** The values that handlers receive besides their calls. */
  readonly started: AnyObject;
  /** Has `stop` wait for this work, at most five seconds. @returns the work */
  before<T>(work: Promise<T>): Promise<T>;
  /** Calls `stop` of the provider once. @throws what it throws, or an Error after ten seconds */
  stop(): Promise<void>;
}

export interface LifetimeOptions {
  /** As people give them. */
  readonly settings: AnyObject;
  readonly log: HandlerLog;
  /** Aborted when the provider stops before it has started. */
  readonly signal: AbortSignal;
}

/** The provider cannot begin, for a reason of its own. The message is one line; no secret of the settings is in it. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
  /** Where the code threw, for its author; without secrets of the settings, too. */
  readonly trace: string;

  constructor(message: string, trace: string, options?: ErrorOptions) {
    super(message, options);
    this.trace = trace;
  }
}

/** Well below the time in which Fairlead expects an answer to the question whether settings work. */
const checkMs = 25_000;
const stopMs = 10_000;
/** For handlers whose signals are aborted. */
const lastHandlerMs = 5_000;

/**
 * Secrets of the settings are masked in what `check` and `start` print, also in timers and connections that they begin.
 * @throws InvalidSettings when the settings do not fit their schema
 * @throws StartFailure when `check` or `start` throws
 * @throws TypeError when `start` returns a name that every handler has already
 */
export function startProvider(provider: Provider, options: LifetimeOptions): Promise<Lifetime> {
  const mask = contextMask(provider, { settings: settingSecrets(provider, options.settings) });
  const log = maskedLog(options.log, mask);
  return maskedWork(mask, () => startMasked(provider, { ...options, log }));
}

async function startMasked(
  provider: Provider,
  { settings: values, log, signal }: LifetimeOptions,
): Promise<Lifetime> {
  const settings = await parseSettings(provider, values);
  const call = { settings, log, signal };
  const shown = (text: string) => withoutSettings(provider, values, text);
  const failure = (what: string, thrown: unknown) => {
    const { stack = '' } = thrown instanceof Error ? thrown : {};
    return new StartFailure(`${what}: ${shown(problemLine(thrown))}`, shown(stack), {
      cause: thrown,
    });
  };
  await checkSettings(provider, call).catch((thrown: unknown) => {
    throw failure(settingsProblems.refused, thrown);
  });
  const returned = await unlessAborted(signal, async () => await provider.start?.(call)).catch(
    (thrown: unknown) => {
      throw failure('start failed', thrown);
    },
  );
  const started = requireStartable(provider.name, returned);
  const running = new Set<Promise<unknown>>();
  let stopped: Promise<void> | undefined;
  return {
    settings,
    started,
    before(work) {
      const ended = work.catch(() => undefined).finally(() => running.delete(ended));
      running.add(ended);
      return work;
    },
    stop() {
      stopped ??= stopAfter(Promise.all(running), provider, started);
      return stopped;
    },
  };
}

async function stopAfter(
  handlers: Promise<unknown>,
  { stop }: Provider,
  started: AnyObject,
): Promise<void> {
  if (stop === undefined) return;
  await endsWithin(lastHandlerMs, handlers);
  const isDone = await endsWithin(stopMs, (async () => await stop(started))());
  if (!isDone) throw new Error(`stop took longer than ${stopMs / 1_000} s`);
}

/** @returns whether the work was done in time */
async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const late = pause(ms, false, { signal: done.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    done.abort();
  }
}

/** @throws what `check` throws, or an Error after 25 seconds */
export async function checkSettings(provider: Provider, call: StartCall): Promise<void> {
  if (provider.check === undefined) return;
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new Error(`check took longer than ${checkMs / 1_000} s`)),
    checkMs,
  );
  const signal = AbortSignal.any([call.signal, limit.signal]);
  try {
    await unlessAborted(signal, async () => await provider.check?.({ ...call, signal }));
  } finally {
    clearTimeout(timer);
  }
}

/** @returns the first line of what was thrown */
export function problemLine(thrown: unknown): string {
  const lines = thrownText(thrown, 'It').split('\n');
  return lines.find((line) => line.trim() !== '')?.trim() ?? 'it threw an error without a message';
}

/** The code of an author may ignore the signal. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function requireStartable(name: string, returned: unknown = {}): AnyObject {
  if (typeof returned !== 'object' || returned === null) {
    throw new TypeError(`start of provider ${name} must return an object, or nothing`);
  }
  const taken = Object.keys(returned).find(isCallMember);
  if (taken === undefined) return returned as AnyObject;
  throw new TypeError(
    `start of provider ${name} returns "${taken}", which every handler receives already; return it under another name`,
  );
}
