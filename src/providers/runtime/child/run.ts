// Runs the code of a provider for the supervisor that forked this process: `check` and `start`, then its handlers, at last `stop`.
import { AsyncLocalStorage } from 'node:async_hooks';
import { realpath } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { aborted } from '../../../lib/abort.ts';
import { resourceDeleted } from '../../../sdk/cancelled.ts';
import { watchCrashes } from '../../../sdk/crash/index.ts';
import { contextMask, type TellSecrets } from '../../../sdk/logs/context-mask.ts';
import { jsonLines } from '../../../sdk/logs/log.ts';
import { watchOutput } from '../../../sdk/logs/printed.ts';
import type { Provider } from '../../../sdk/provider.ts';
import { parseBody } from '../../../sdk/serve/body.ts';
import { createHandlers, type Handlers, limitMs } from '../../../sdk/serve/handlers.ts';
import { type Lifetime, StartFailure, startProvider } from '../../../sdk/serve/lifetime.ts';
import { Refusal } from '../../../sdk/serve/refusal.ts';
import { failure, isCrash, type ReplyTo } from '../../../sdk/serve/reply.ts';
import { isRequest } from '../../../sdk/serve/requests.ts';
import { settingSecrets } from '../../../sdk/settings.ts';
import { placeSdk } from '../../place-sdk.ts';
import { loadProvider } from '../load.ts';
import { LoadFailure } from '../load-failure.ts';
import {
  type ChildAnswer,
  type ChildOptions,
  type FromChild,
  monotonicMs,
  type ProviderLimits,
  runningEvent,
  staleMs,
  type ToChild,
} from '../messages.ts';
import { readSettingsFolder } from '../settings.ts';

type Run = Extract<ToChild, { kind: 'run' }>;
/** Resolves once the supervisor can read it, before anything that is printed afterwards. */
type Send = (message: FromChild) => Promise<void>;

/** The event whose code is running. */
const running = new AsyncLocalStorage<number>();

/** Serves the supervisor until it says `stop`, or is gone. */
export function runChild(): void {
  const supervisor = takeChannel();
  const stopping = new AbortController();
  const aborts = new Map<number, AbortController>();
  let handlers: Handlers | undefined;
  let isEnding = false;
  const send: Send = (message) => {
    if (message.kind === 'ending') isEnding = true;
    return supervisor.send(message);
  };
  const teller = createTeller(send);
  const answering = new Set<Promise<void>>();
  const answersSent = () => Promise.all(answering);
  Object.defineProperty(globalThis, Symbol.for(runningEvent), {
    value: () => running.getStore(),
  });

  async function run({ id, body, traceparent, sentAt }: Run): Promise<void> {
    const isLate = monotonicMs() - sentAt > staleMs || isEnding;
    if (isLate || handlers === undefined) {
      void send({ kind: 'late', id });
      return;
    }
    const abort = new AbortController();
    aborts.set(id, abort);
    void send({ kind: 'begun', id });
    const report = (progress: Extract<FromChild, { kind: 'progress' }>['progress']) =>
      void send({ kind: 'progress', id, progress });
    const call = { signal: abort.signal, report, tell: teller.ofEvent(id) };
    const answer = await answered(handlers, { body, traceparent, id }, call);
    aborts.delete(id);
    await send({ kind: 'answer', id, ...answer });
  }

  supervisor.receive((message) => {
    switch (message.kind) {
      case 'start':
        void start(message.options, { send, teller, answersSent }, stopping.signal).then(
          (begun) => {
            handlers = begun;
          },
        );
        break;
      case 'run': {
        const sent = run(message).finally(() => answering.delete(sent));
        answering.add(sent);
        break;
      }
      case 'abort': {
        const { id, isDeleted, message: why } = message;
        aborts.get(id)?.abort(isDeleted ? resourceDeleted() : new Error(why));
        break;
      }
      case 'turn':
        void send({ kind: 'turn' });
        break;
      case 'stop':
        stopping.abort(new Error('The provider is stopping'));
        break;
    }
  });
}

interface Supervisor {
  readonly send: Send;
  readonly teller: Teller;
  /** Resolves once the supervisor can read the answers to all events that have begun. */
  readonly answersSent: () => Promise<unknown>;
}

/** Tells the supervisor which texts are secret, each of the settings once. */
interface Teller {
  readonly ofSettings: TellSecrets;
  readonly ofEvent: (id: number) => TellSecrets;
}

function createTeller(send: Send): Teller {
  const ofSettings = new Set<string>();
  let sent = Promise.resolve();
  const tell = async (texts: readonly string[], told: Set<string>, id?: number) => {
    const news = texts.filter((text) => !told.has(text) && !ofSettings.has(text));
    for (const text of news) told.add(text);
    const about = id === undefined ? {} : { id };
    if (news.length > 0) sent = send({ kind: 'secrets', texts: news, ...about });
    // Texts that are told already may still be on their way.
    await sent;
  };
  return {
    ofSettings: (texts) => tell(texts, ofSettings),
    ofEvent(id) {
      const ofEvent = new Set<string>();
      return (texts) => tell(texts, ofEvent, id);
    },
  };
}

/** The code of authors does not see the channel. */
function takeChannel() {
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error('A child of a supervisor is started by it alone');
  Object.assign(process, { send: undefined, disconnect: undefined });
  process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
  return {
    send: (message: FromChild) =>
      // An error, as of a supervisor that is gone, is none of the process.
      new Promise<void>((resolve) => {
        send(message, undefined, undefined, () => resolve());
      }),
    receive(receiver: (message: ToChild) => void) {
      process.on('message', (message) => receiver(message as ToChild));
    },
  };
}

/** @returns the handlers of the provider, once it has started; ends the process when it cannot */
async function start(
  options: ChildOptions,
  supervisor: Supervisor,
  stopping: AbortSignal,
): Promise<Handlers | undefined> {
  try {
    return await begin(options, supervisor, stopping);
  } catch (thrown) {
    const failed = stopping.aborted ? stoppedEarly() : thrown;
    process.stderr.write(`Provider ${options.provider} cannot run: ${startSentence(failed)}\n`);
    process.exit(1);
  }
}

async function begin(
  { codeFolder, provider: name, settings: from }: ChildOptions,
  { send, teller, answersSent }: Supervisor,
  stopping: AbortSignal,
): Promise<Handlers> {
  await placeSdk(codeFolder);
  const provider = await loadProvider(codeFolder, name);
  const tell = teller.ofSettings;
  const files =
    from === undefined ? undefined : await readSettingsFolder(provider, { ...from, tell });
  const given = files?.values ?? {};
  await tell(contextMask(provider, { settings: settingSecrets(provider, given) }).secrets());
  const log = jsonLines;
  watchOutput();
  const lifetime = await startProvider(provider, { settings: given, log, signal: stopping });
  const folder = await realpath(codeFolder);
  const crashes = watchCrashes({
    codeFolder: folder,
    graceMs: longestMs,
    onEnding: () => void send({ kind: 'ending' }),
    // The end of the process would overtake an answer: that of the culprit is the evidence.
    async close(flushMs) {
      await stop(lifetime);
      await Promise.race([answersSent(), pause(flushMs)]);
    },
  });
  const handlers = createHandlers(provider, {
    ...{ given, log, codeFolder: folder, lifetime, signal: stopping },
    run: (subject, handler) => crashes.run(subject, handler),
  });
  void send({ kind: 'ready', ...limitsOf(provider) });
  if (files !== undefined && from?.isWatched === true) {
    void files.changed(stopping).then(() => {
      if (!stopping.aborted) void send({ kind: 'settings' });
    });
  }
  // The code of the author may keep connections and timers open.
  void aborted(stopping).then(async () => {
    await stop(lifetime);
    process.exit(0);
  });
  return handlers;
}

/** The supervisor ends it sooner. */
const longestMs = 24 * 3_600_000;

async function stop(lifetime: Lifetime): Promise<void> {
  await lifetime.stop().catch((thrown: unknown) => {
    jsonLines.error('The provider ends without a complete stop', { error: thrown });
  });
}

function limitsOf(provider: Provider): ProviderLimits {
  const { types, blockedLimitSeconds: blocked } = provider;
  const limits = [...types.keys()].map((name) => [name, limitMs(provider, name)] as const);
  return {
    handlersMs: Object.fromEntries(limits),
    ...(blocked === undefined ? {} : { blockedMs: 1_000 * blocked }),
  };
}

function stoppedEarly(): StartFailure {
  const message = 'it was stopped before it was ready; check and start have 60 seconds together';
  return new StartFailure(message, '');
}

async function answered(
  handlers: Handlers,
  { body, traceparent, id }: Pick<Run, 'id' | 'body' | 'traceparent'>,
  call: Parameters<Handlers['event']>[1],
): Promise<ChildAnswer> {
  try {
    const parsed = parseBody(JSON.parse(new TextDecoder().decode(body)));
    const reply = await running.run(id, () =>
      isRequest(parsed)
        ? handlers.request(parsed, call)
        : handlers.event({ event: parsed, traceparent }, call),
    );
    return asAnswer(reply);
  } catch (thrown) {
    return asAnswer(
      thrown instanceof Refusal
        ? failure(thrown.status, thrown.code, thrown.message)
        : failure(500, 'runtime_error', 'The runtime failed'),
    );
  }
}

function asAnswer(reply: ReplyTo<object>): ChildAnswer {
  const { status, body, retryAfter } = reply;
  return { status, body: JSON.stringify(body), retryAfter, endsProcess: isCrash(reply) };
}

function startSentence(thrown: unknown): string {
  const { message, cause } =
    thrown instanceof Error ? thrown : { message: String(thrown), cause: null };
  // Its author needs the stack only if the code itself failed.
  if (thrown instanceof LoadFailure && thrown.code === 'import_failed' && cause instanceof Error) {
    process.stderr.write(`${cause.stack ?? cause.message}\n`);
  }
  if (thrown instanceof StartFailure && thrown.trace !== '') {
    process.stderr.write(`${thrown.trace}\n`);
  }
  return message.split('\n', 1)[0] ?? '';
}
