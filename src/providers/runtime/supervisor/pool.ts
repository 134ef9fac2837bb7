// The events of a supervisor and its children. It does what the rules decide, and never loses an event: each is answered by its handler,
// repeated in another child, or answered as interrupted.
import { endedProcessField } from '../../../domain/process-end/last-lines.ts';
import { isDeleted } from '../../../sdk/cancelled.ts';
import { Refusal } from '../../../sdk/serve/refusal.ts';
import {
  type ChildAnswer,
  type ChildNews,
  type ChildOptions,
  monotonicMs,
  type ProviderLimits,
  staleMs,
} from '../messages.ts';
import type { ProcessEnd } from './child-process.ts';
import { blockedFor, type Child, createChildren, enterPhase } from './children.ts';
import { culpritAnswer, type Evidence, endSentence } from './evidence.ts';
import { hasMemoryLeft, largestBeyondLimit } from './memory.ts';
import { createSuspects, nextSuspects, runsMs, suspicionAfterEnd } from './quarantine.ts';
import { createRestarts } from './restarts.ts';
import {
  blockedMs,
  type ChildView,
  type EndedEvent,
  endedAlone,
  hangMs,
  isUnblamed,
  nextStep,
  quarantine,
  receiver,
  type Verdict,
  verdict,
} from './rules.ts';
import { cancelled, createWork, interrupted, isSuspect, type Task, type Work } from './work.ts';

export interface PoolOptions {
  readonly child: ChildOptions;
  /** The code, without symbolic links. */
  readonly codeFolder: string;
  /** The limit of the container in MiB; undefined: memory is not watched. */
  readonly memoryMi: number | undefined;
  /** A child that ends without an event within this time of the first start is not replaced. */
  readonly earlyMs: number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, fields: object) => void;
}

export interface Pool {
  /** @returns whether the first child has become ready */
  readonly started: Promise<boolean>;
  /** Resolves when children end again and again without an event. */
  readonly givenUp: Promise<void>;
  /** @throws Refusal when its signal is aborted before a child has it */
  run(task: Task): Promise<ChildAnswer>;
  /** @returns the time of the handlers of a type; undefined for one that the provider does not have */
  limitMs(type: string): number | undefined;
  /** @returns how many children have ended without an event to blame */
  unblamedEnds(): number;
  isReady(): boolean;
  /** Answers what runs as interrupted, and ends the children. */
  stop(): Promise<void>;
}

const tickMs = 250;
const memoryMs = 50;
/** An event waits no longer for a child that serves. */
const queueMs = 30_000;
/** While a child starts for this long, the pod is ready. */
const replacedMs = 5_000;

export function createPool({
  child: options,
  codeFolder,
  memoryMi,
  earlyMs,
  log,
}: PoolOptions): Pool {
  const children = createChildren({ options, memoryMi, onMessage: receive, onEnd: ended });
  const restarts = createRestarts(earlyMs);
  const suspects = createSuspects();
  const waiting = new Set<Work>();
  const started = Promise.withResolvers<boolean>();
  const givenUp = Promise.withResolvers<void>();
  const allEnded = Promise.withResolvers<void>();
  const tickWhile = intervalWhile(tickMs, tick);
  const watchMemoryWhile = intervalWhile(memoryMs, watchMemory);
  let limits: ProviderLimits = { handlersMs: {} };
  let lastId = 0;
  let ends = 0;
  let unblamedEnds = 0;
  let isStarted = false;
  let isStopping = false;

  /** Does what there is to do, hands out what waits, and goes on as long as anything may change by itself. */
  function pass(): void {
    for (;;) {
      const step = nextStep({
        children: children.views(),
        suspects: [...waiting].filter(isSuspect).length,
        holdMs: restarts.holdMs(),
        hangMs: limits.blockedMs ?? hangMs,
        isStopping,
      });
      if (step === undefined) break;
      if (step.do === 'start') children.start(step.role);
      else children.end(step.child, step.do);
    }
    handOutEvents();
    handOutSuspects();
    for (const child of children.all()) look(child);
    keepTicking();
  }

  function tick(): void {
    children.ask();
    // Messages that have arrived meanwhile are read first: this process may have been held up itself.
    setImmediate(pass);
  }

  function keepTicking(): void {
    const all = children.all();
    const isBusy = all.some(({ works }) => works.size > 0);
    const isSettled = all.length === 1 && all[0]?.phase === 'ready' && !all[0].isOutdated;
    tickWhile(isBusy || waiting.size > 0 || !isSettled);
    watchMemoryWhile(isBusy && memoryMi !== undefined);
  }

  function watchMemory(): void {
    const found = largestBeyondLimit(children.all(), memoryMi ?? Infinity);
    if (found === undefined) return;
    children.kill(found.child, found.why);
    pass();
  }

  function receive(child: Child, message: ChildNews): void {
    child.askedAt = undefined;
    switch (message.kind) {
      case 'ready':
        limits = message;
        if (child.phase === 'starting') enterPhase(child, 'ready');
        if (child.role === 'serving') children.supersede(child.id);
        isStarted = true;
        started.resolve(true);
        break;
      case 'ending':
        if (child.phase === 'ready') enterPhase(child, 'ending');
        break;
      case 'settings':
        child.isOutdated = true;
        log('info', 'The settings have changed; another process takes over', {});
        break;
      case 'turn':
        return;
      case 'begun':
      case 'late':
      case 'progress':
      case 'answer':
        receiveAbout(child, message);
    }
    pass();
  }

  function receiveAbout(child: Child, message: Extract<ChildNews, { id: number }>): void {
    const work = child.works.get(message.id);
    if (work === undefined) return;
    switch (message.kind) {
      case 'begun':
        work.begunAt = monotonicMs();
        work.time.begin();
        break;
      case 'late':
        child.works.delete(work.id);
        queue(work);
        break;
      case 'progress':
        work.report(message.progress);
        break;
      case 'answer': {
        child.works.delete(work.id);
        const { status, body, retryAfter, endsProcess } = message;
        if (endsProcess === true) {
          child.hasBlamed = true;
          suspects.add(work.subject, runsMs(work, monotonicMs()));
        } else suspects.clear(work.subject);
        work.answer({ status, body, retryAfter });
        break;
      }
    }
  }

  function queue(work: Work): void {
    work.begunAt = undefined;
    work.queuedAt = monotonicMs();
    work.time.hold();
    if (work.signal.aborted) work.answer(interrupted(work));
    else waiting.add(work);
  }

  function handOutEvents(): void {
    const child = children.find(receiver(children.views())?.id);
    for (const work of waiting) {
      if (isSuspect(work)) continue;
      if (child !== undefined) handTo(child, work);
      else if (monotonicMs() - work.queuedAt > queueMs) {
        waiting.delete(work);
        work.answer(interrupted(work));
      }
    }
  }

  function handOutSuspects(): void {
    const child = children.find(quarantine(children.views())?.id);
    const all = [...waiting].filter(isSuspect);
    if (child === undefined || all.length === 0) return;
    const inside = [...child.works.values()].filter(isSuspect);
    const state = { inside, hasRoom: hasMemoryLeft(child, memoryMi) };
    for (const work of nextSuspects(all, state, monotonicMs())) handTo(child, work);
  }

  function handTo(child: Child, work: Work): void {
    waiting.delete(work);
    child.works.set(work.id, work);
    work.sentAt = monotonicMs();
    child.askedAt ??= work.sentAt;
    const { body, traceparent, sentAt } = work;
    child.process.send({ kind: 'run', id: work.id, body, traceparent, sentAt });
  }

  /** Takes back what a blocked child will not begin any more. */
  function look(child: Child): void {
    if (child.works.size === 0) child.askedAt = undefined;
    const isBlocked = blockedFor(child) >= blockedMs;
    for (const work of [...child.works.values()]) {
      if (work.begunAt !== undefined) countTime(work, isBlocked);
      else if (isBlocked && monotonicMs() - work.sentAt > staleMs + tickMs) {
        child.works.delete(work.id);
        queue(work);
      }
    }
  }

  function ended(child: Child, how: ProcessEnd): void {
    const { works, isOurs, killed, blocked, process } = child;
    const evidence = { ...how, printed: process.printed(), killed, blocked, codeFolder };
    const all = [...works.values()];
    const ending = { events: all.map(endedEvent), isOurs, culprit: blocked?.event };
    const verdicts = all.map((work) => [work, verdict(endedEvent(work), ending)] as const);
    const isBlamed = verdicts.some(([, decided]) => decided === 'culprit');
    const isAlone = noteEnd(child, evidence, isBlamed);
    suspectAll(verdicts.flatMap(([work, decided]) => (decided === 'suspect' ? work : [])));
    for (const [work, decided] of verdicts) settle(work, decided, evidence);
    if (isStopping && children.all().length === 0) allEnded.resolve();
    if (isStarted) afterEnd(isAlone);
    else started.resolve(false);
  }

  /** @returns whether it ended by itself, without an event */
  function noteEnd(child: Child, evidence: Evidence, isBlamed: boolean): boolean {
    const { works, isOurs, hasBlamed, phase } = child;
    if (isOurs) return false;
    ends += 1;
    const fields = { why: endSentence(evidence), events: works.size, [endedProcessField]: ends };
    if (isStarted) log('warn', 'A process of the provider has ended', fields);
    if (isUnblamed({ isBlamed, hasBlamed })) unblamedEnds += 1;
    const isAlone = endedAlone({ events: works.size, phase });
    if (isAlone) restarts.note();
    return isAlone;
  }

  function suspectAll(works: readonly Work[]): void {
    const now = monotonicMs();
    const found = works.map((work) => [work, suspicionAfterEnd(work, works, now)] as const);
    for (const [work, suspicion] of found) work.suspicion = suspicion;
  }

  function settle(work: Work, decided: Verdict, evidence: Evidence): void {
    if (decided === 'culprit' || decided === 'suspect') {
      suspects.add(work.subject, runsMs(work, monotonicMs()));
    }
    if (decided === 'culprit') work.answer(culpritAnswer(evidence, work.eventId));
    else if (decided === 'interrupted' || (decided === 'suspect' && work.isRequest)) {
      work.answer(interrupted(work));
    } else queue(work);
  }

  function afterEnd(isAlone: boolean): void {
    if (restarts.areLeft(isAlone) || receiver(children.views()) !== undefined) pass();
    else givenUp.resolve();
  }

  pass();
  return {
    started: started.promise,
    givenUp: givenUp.promise,
    limitMs: (type) => limits.handlersMs[type],
    unblamedEnds: () => unblamedEnds,
    run(task) {
      const answered = Promise.withResolvers<ChildAnswer>();
      lastId += 1;
      const known = { id: lastId, ranMs: suspects.ranMs(task.subject) };
      const work = createWork(task, known, answered.resolve);
      const onAbort = () => {
        work.abortedAt = monotonicMs();
        if (!waiting.delete(work)) children.abort(work);
        else if (isDeleted(work.signal)) work.answer(cancelled());
        else answered.reject(new Refusal(503, 'gone', 'The client closed the connection'));
      };
      task.signal.addEventListener('abort', onAbort, { once: true });
      if (isStopping) work.answer(interrupted(work));
      else {
        queue(work);
        pass();
      }
      return answered.promise.finally(() => {
        task.signal.removeEventListener('abort', onAbort);
      });
    },
    isReady() {
      const all = children.views();
      const isReplaced = ({ role, phase, phaseMs }: ChildView) =>
        role === 'serving' && phase === 'starting' && phaseMs < replacedMs;
      return receiver(all) !== undefined || all.some(isReplaced);
    },
    async stop() {
      isStopping = true;
      const inChildren = children.all().flatMap(({ works }) => [...works.values()]);
      for (const work of [...waiting, ...inChildren]) work.answer(interrupted(work));
      waiting.clear();
      for (const child of children.all()) {
        child.works.clear();
        children.end(child.id, 'stop');
      }
      if (children.all().length > 0) await allEnded.promise;
    },
  };
}

/** The time of a handler stands still while it is blocked. */
function countTime({ time }: Work, isBlocked: boolean): void {
  if (isBlocked) time.hold();
  else time.goOn();
}

function endedEvent({ id, begunAt, abortedAt }: Work): EndedEvent {
  return { id, isBegun: begunAt !== undefined, isAborted: abortedAt !== undefined };
}

/** @returns a function that begins the interval, or ends it */
function intervalWhile(everyMs: number, work: () => void): (isNeeded: boolean) => void {
  let timer: NodeJS.Timeout | undefined;
  return (isNeeded) => {
    if (isNeeded) timer ??= setInterval(work, everyMs);
    else {
      clearInterval(timer);
      timer = undefined;
    }
  };
}
