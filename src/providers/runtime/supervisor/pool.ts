// The children of a supervisor and the events in them. It does what the rules decide, and never loses an event: each is answered by its
// handler, repeated in another child, or answered as interrupted.
import { isDeleted } from '../../../sdk/cancelled.ts';
import { Refusal } from '../../../sdk/serve/refusal.ts';
import {
  type ChildAnswer,
  type ChildOptions,
  type FromChild,
  monotonicMs,
  staleMs,
} from '../messages.ts';
import { type BlockedCode, blockedCode } from './blocked.ts';
import { ownMemory, type ProcessEnd, type ProviderProcess, startProcess } from './child-process.ts';
import { culpritAnswer, type Evidence, endSentence } from './evidence.ts';
import {
  blockedMs,
  type ChildRole,
  type ChildView,
  type EndedEvent,
  heapMi,
  holdUntil,
  nextStep,
  quarantine,
  receiver,
  type Step,
  type Verdict,
  verdict,
} from './rules.ts';
import { cancelled, createWork, interrupted, type Task, type Work } from './work.ts';

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
  isReady(): boolean;
  /** Answers what runs as interrupted, and ends the children. */
  stop(): Promise<void>;
}

interface Child {
  readonly id: number;
  readonly role: ChildRole;
  readonly process: ProviderProcess;
  readonly works: Map<number, Work>;
  phase: ChildView['phase'];
  phaseAt: number;
  /** When it was asked for a sign that its event loop turns. */
  askedAt: number | undefined;
  supersededAt: number | undefined;
  isOutdated: boolean;
  /** It is ended for no fault of its events. */
  isOurs: boolean;
  killed: string | undefined;
  blocked: BlockedCode | undefined;
}

const tickMs = 250;
const memoryMs = 50;
const memoryShare = 0.85;
/** An event waits no longer for a child that serves. */
const queueMs = 30_000;
/** While a child starts for this long, the pod is ready. */
const replacedMs = 5_000;
/** The time of `stop` of the provider, and of handlers before it. */
const stopMs = 16_000;
const maxSuspected = 1_000;
const maxEndsKept = 10;

export function createPool({
  child: options,
  codeFolder,
  memoryMi,
  earlyMs,
  log,
}: PoolOptions): Pool {
  const startedAt = monotonicMs();
  const children = new Map<number, Child>();
  const waiting = new Set<Work>();
  const suspected = new Set<string>();
  const started = Promise.withResolvers<boolean>();
  const givenUp = Promise.withResolvers<void>();
  const allEnded = Promise.withResolvers<void>();
  let limits: Readonly<Record<string, number>> = {};
  let ends: readonly number[] = [];
  let lastId = 0;
  let isStarted = false;
  let isStopping = false;
  let ticking: NodeJS.Timeout | undefined;
  let watching: NodeJS.Timeout | undefined;

  function views(): readonly ChildView[] {
    const now = monotonicMs();
    return [...children.values()].map((child) => {
      const { id, role, phase, phaseAt, works, isOutdated, askedAt, supersededAt } = child;
      const aborts = [...works.values()].map(({ abortedAt }) => abortedAt ?? now);
      return {
        ...{ id, role, phase, isOutdated },
        phaseMs: now - phaseAt,
        blockedMs: askedAt === undefined ? 0 : now - askedAt,
        events: works.size,
        ignoringMs: works.size === 0 ? 0 : now - Math.max(...aborts),
        supersededMs: supersededAt === undefined ? 0 : now - supersededAt,
      };
    });
  }

  function holdMs(): number {
    return (holdUntil(ends, monotonicMs()) ?? Infinity) - monotonicMs();
  }

  /** Does what there is to do, hands out what waits, and goes on as long as anything may change by itself. */
  function pass(): void {
    for (;;) {
      const suspects = [...waiting].filter(({ isSuspect }) => isSuspect).length;
      const step = nextStep({ children: views(), suspects, holdMs: holdMs(), isStopping });
      if (step === undefined) break;
      act(step);
    }
    for (const work of waiting) handOut(work);
    for (const child of children.values()) look(child);
    keepTicking();
  }

  function act(step: Step): void {
    if (step.do === 'start') start(step.role);
    else end(children.get(step.child), step.do);
  }

  function end(child: Child | undefined, how: Exclude<Step['do'], 'start'>): void {
    if (child === undefined) return;
    enterPhase(child, 'leaving');
    if (how === 'judge') {
      void judge(child);
      return;
    }
    child.isOurs = true;
    if (how === 'kill') child.process.kill();
    else stopProcess(child);
  }

  function stopProcess(child: Child): void {
    child.process.send({ kind: 'stop' });
    setTimeout(() => child.process.kill(), stopMs).unref();
  }

  function start(role: ChildRole): void {
    lastId += 1;
    const process = startProcess({
      options,
      heapMi: memoryMi === undefined ? undefined : heapMi(memoryMi),
      onMessage: (message) => receive(child, message),
      onEnd: (end) => ended(child, end),
    });
    const child: Child = {
      ...{ id: lastId, role, process, works: new Map(), phase: 'starting', phaseAt: monotonicMs() },
      ...{ askedAt: undefined, supersededAt: undefined, killed: undefined, blocked: undefined },
      ...{ isOutdated: false, isOurs: false },
    };
    children.set(child.id, child);
  }

  function enterPhase(child: Child, phase: Child['phase']): void {
    child.phase = phase;
    child.phaseAt = monotonicMs();
  }

  async function judge(child: Child): Promise<void> {
    const blockedFor = monotonicMs() - (child.askedAt ?? monotonicMs());
    child.killed = `The handler blocked the event loop for ${Math.round(blockedFor / 1_000)} s`;
    child.blocked = await blockedCode(child.process);
    child.process.kill();
  }

  function receive(child: Child, message: FromChild): void {
    child.askedAt = undefined;
    switch (message.kind) {
      case 'ready':
        limits = message.limitsMs;
        if (child.phase === 'starting') enterPhase(child, 'ready');
        if (child.role === 'serving') supersede(child.id);
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

  function supersede(newest: number): void {
    for (const child of children.values()) {
      if (child.role === 'serving' && child.id < newest) child.supersededAt ??= monotonicMs();
    }
  }

  function receiveAbout(child: Child, message: Extract<FromChild, { id: number }>): void {
    const work = child.works.get(message.id);
    if (work === undefined) return;
    switch (message.kind) {
      case 'begun':
        work.isBegun = true;
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
        if (endsProcess === true) suspect(work);
        else suspected.delete(work.subject);
        work.answer({ status, body, retryAfter });
        break;
      }
    }
  }

  function suspect({ subject }: Work): void {
    suspected.delete(subject);
    suspected.add(subject);
    const [oldest] = suspected;
    if (suspected.size > maxSuspected && oldest !== undefined) suspected.delete(oldest);
  }

  function queue(work: Work): void {
    work.isBegun = false;
    work.queuedAt = monotonicMs();
    work.time.hold();
    if (work.signal.aborted) work.answer(interrupted(work));
    else waiting.add(work);
  }

  function handOut(work: Work): void {
    const all = views();
    const { id } = (work.isSuspect ? quarantine(all) : receiver(all)) ?? {};
    const child = id === undefined ? undefined : children.get(id);
    if (child === undefined) {
      const isLate = !work.isSuspect && monotonicMs() - work.queuedAt > queueMs;
      if (!isLate) return;
      waiting.delete(work);
      work.answer(interrupted(work));
      return;
    }
    waiting.delete(work);
    child.works.set(work.id, work);
    work.sentAt = monotonicMs();
    child.askedAt ??= work.sentAt;
    const { body, traceparent, sentAt } = work;
    child.process.send({ kind: 'run', id: work.id, body, traceparent, sentAt });
  }

  function look(child: Child): void {
    const now = monotonicMs();
    if (child.works.size === 0) child.askedAt = undefined;
    const isBlocked = child.askedAt !== undefined && now - child.askedAt >= blockedMs;
    for (const work of [...child.works.values()]) {
      if (work.isBegun) countTime(work, isBlocked);
      else if (isBlocked && now - work.sentAt > staleMs + tickMs) {
        // The child will not begin it any more.
        child.works.delete(work.id);
        queue(work);
      }
    }
  }

  function countTime({ time }: Work, isBlocked: boolean): void {
    if (isBlocked) time.hold();
    else time.goOn();
  }

  function tick(): void {
    const now = monotonicMs();
    for (const child of children.values()) {
      const isAsked = child.askedAt !== undefined || child.works.size === 0;
      if (isAsked || child.phase === 'starting') continue;
      child.askedAt = now;
      child.process.send({ kind: 'turn' });
    }
    // Messages that have arrived meanwhile are read first: this process may have been held up itself.
    setImmediate(pass);
  }

  function keepTicking(): void {
    const all = [...children.values()];
    const isBusy = all.some(({ works }) => works.size > 0);
    const isSettled = all.length === 1 && all[0]?.phase === 'ready' && !all[0].isOutdated;
    const isNeeded = isBusy || waiting.size > 0 || !isSettled;
    if (isNeeded) ticking ??= setInterval(tick, tickMs);
    else {
      clearInterval(ticking);
      ticking = undefined;
    }
    if (isBusy && memoryMi !== undefined) watching ??= setInterval(watchMemory, memoryMs, memoryMi);
    else {
      clearInterval(watching);
      watching = undefined;
    }
  }

  /** Best effort: the kernel may end the whole container first. */
  function watchMemory(limitMi: number): void {
    const used = [...children.values()].map((child) => ({
      child,
      bytes: child.process.memoryBytes(),
    }));
    const total = used.reduce((sum, { bytes }) => sum + bytes, ownMemory('self'));
    const totalMi = Math.round(total / 1_048_576);
    if (totalMi < memoryShare * limitMi) return;
    const [largest] = used.toSorted((one, other) => other.bytes - one.bytes);
    if (largest === undefined || largest.child.killed !== undefined) return;
    largest.child.killed = `The process ran out of memory: ${totalMi} MiB were used, and the limit of the pod is ${limitMi} MiB`;
    enterPhase(largest.child, 'leaving');
    largest.child.process.kill();
    pass();
  }

  function ended(child: Child, how: ProcessEnd): void {
    children.delete(child.id);
    const { works, isOurs, killed, blocked, process } = child;
    const evidence = { ...how, printed: process.printed(), killed, blocked, codeFolder };
    if (!isOurs) noteEnd(child, evidence);
    const events = [...works.values()].map(endedEvent);
    const ending = { events, isOurs, culprit: blocked?.event };
    for (const work of works.values()) settle(work, verdict(endedEvent(work), ending), evidence);
    if (isStopping && children.size === 0) allEnded.resolve();
    if (isStarted) afterEnd();
    else started.resolve(false);
  }

  function noteEnd({ works, phase }: Child, evidence: Evidence): void {
    const fields = { why: endSentence(evidence), events: works.size };
    if (isStarted) log('warn', 'A process of the provider has ended', fields);
    const isOfNobody = works.size === 0 && (phase === 'starting' || phase === 'ready');
    if (isOfNobody) ends = [...ends, monotonicMs()].slice(-maxEndsKept);
  }

  function afterEnd(): void {
    const isEarly = (ends[0] ?? Infinity) - startedAt < earlyMs;
    const mayStart = holdUntil(ends, monotonicMs()) !== undefined && !isEarly;
    if (mayStart || receiver(views()) !== undefined) pass();
    else givenUp.resolve();
  }

  function settle(work: Work, decided: Verdict, evidence: Evidence): void {
    if (decided === 'culprit' || decided === 'suspect') suspect(work);
    if (decided === 'suspect') work.isSuspect = true;
    if (decided === 'culprit') work.answer(culpritAnswer(evidence, work.eventId));
    else if (decided === 'interrupted' || (decided === 'suspect' && work.isRequest)) {
      work.answer(interrupted(work));
    } else queue(work);
  }

  pass();
  return {
    started: started.promise,
    givenUp: givenUp.promise,
    limitMs: (type) => limits[type],
    run(task) {
      const answered = Promise.withResolvers<ChildAnswer>();
      lastId += 1;
      const work = createWork(
        { ...task, isSuspect: task.isSuspect || suspected.has(task.subject) },
        lastId,
        answered.resolve,
      );
      const onAbort = () => {
        work.abortedAt = monotonicMs();
        const reason: unknown = work.signal.reason;
        if (waiting.delete(work)) {
          if (isDeleted(work.signal)) work.answer(cancelled());
          else answered.reject(new Refusal(503, 'gone', 'The client closed the connection'));
          return;
        }
        const message = reason instanceof Error ? reason.message : String(reason);
        const holder = [...children.values()].find(({ works }) => works.has(work.id));
        const isGone = isDeleted(work.signal);
        holder?.process.send({ kind: 'abort', id: work.id, message, isDeleted: isGone });
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
      const all = views();
      const isReplaced = ({ role, phase, phaseMs }: ChildView) =>
        role === 'serving' && phase === 'starting' && phaseMs < replacedMs;
      return receiver(all) !== undefined || all.some(isReplaced);
    },
    async stop() {
      isStopping = true;
      for (const work of waiting) work.answer(interrupted(work));
      waiting.clear();
      for (const child of children.values()) {
        for (const work of child.works.values()) work.answer(interrupted(work));
        child.works.clear();
        child.isOurs = true;
        enterPhase(child, 'leaving');
        stopProcess(child);
      }
      if (children.size > 0) await allEnded.promise;
    },
  };
}

function endedEvent({ id, isBegun, abortedAt }: Work): EndedEvent {
  return { id, isBegun, isAborted: abortedAt !== undefined };
}
