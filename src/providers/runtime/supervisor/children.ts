// The children of a pool: their processes, the events in each, and since when an event loop has not turned. It knows no rules.
import { isDeleted } from '../../../sdk/cancelled.ts';
import { type ChildNews, type ChildOptions, monotonicMs } from '../messages.ts';
import { type BlockedCode, blockedCode } from './blocked.ts';
import { type ProcessEnd, type ProviderProcess, startProcess } from './child-process.ts';
import { type ChildRole, type ChildView, heapMi, type Step } from './rules.ts';
import type { Work } from './work.ts';

export interface Child {
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
  /** A handler has ended it and was answered so. */
  hasBlamed: boolean;
  /** Why it was killed for the fault of one of them. */
  killed: string | undefined;
  blocked: BlockedCode | undefined;
}

export interface ChildrenOptions {
  readonly options: ChildOptions;
  /** The limit of the container in MiB; undefined: heaps have the size of Node.js. */
  readonly memoryMi: number | undefined;
  readonly onMessage: (child: Child, message: ChildNews) => void;
  /** The child is not among the others any more. */
  readonly onEnd: (child: Child, end: ProcessEnd) => void;
}

export interface Children {
  all(): readonly Child[];
  views(): readonly ChildView[];
  find(id: number | undefined): Child | undefined;
  start(role: ChildRole): void;
  end(id: number, how: Exclude<Step['do'], 'start'>): void;
  /** Ends it for the fault of one of its events. */
  kill(child: Child, why: string): void;
  /** Asks each child that has events for a sign that its event loop turns. */
  ask(): void;
  /** The newest takes the events of all that serve from now on. */
  supersede(newest: number): void;
  /** Aborts the signal of a handler, as that of its event is. */
  abort(work: Work): void;
}

/** The time of `stop` of the provider, and of handlers before it. */
const stopMs = 16_000;

export function createChildren({ options, memoryMi, onMessage, onEnd }: ChildrenOptions): Children {
  const children = new Map<number, Child>();
  let lastId = 0;

  function start(role: ChildRole): void {
    lastId += 1;
    const process = startProcess({
      options,
      heapMi: memoryMi === undefined ? undefined : heapMi(memoryMi),
      onMessage: (message) => onMessage(child, message),
      onEnd(end) {
        children.delete(child.id);
        onEnd(child, end);
      },
    });
    const child: Child = {
      ...{ id: lastId, role, process, works: new Map(), phase: 'starting', phaseAt: monotonicMs() },
      ...{ askedAt: undefined, supersededAt: undefined, killed: undefined, blocked: undefined },
      ...{ isOutdated: false, isOurs: false, hasBlamed: false },
    };
    children.set(child.id, child);
  }

  return {
    all: () => [...children.values()],
    views: () => [...children.values()].map(childView),
    find: (id) => (id === undefined ? undefined : children.get(id)),
    start,
    end(id, how) {
      const child = children.get(id);
      if (child === undefined) return;
      enterPhase(child, 'leaving');
      if (how === 'judge') {
        void judge(child);
        return;
      }
      child.isOurs = true;
      if (how === 'kill') child.process.kill();
      else stopProcess(child);
    },
    kill(child, why) {
      child.killed = why;
      enterPhase(child, 'leaving');
      child.process.kill();
    },
    ask() {
      const now = monotonicMs();
      for (const child of children.values()) {
        const isAsked = child.askedAt !== undefined || child.works.size === 0;
        if (isAsked || child.phase === 'starting') continue;
        child.askedAt = now;
        child.process.send({ kind: 'turn' });
      }
    },
    supersede(newest) {
      for (const child of children.values()) {
        if (child.role === 'serving' && child.id < newest) child.supersededAt ??= monotonicMs();
      }
    },
    abort({ id, signal }) {
      const reason: unknown = signal.reason;
      const message = reason instanceof Error ? reason.message : String(reason);
      const holder = [...children.values()].find(({ works }) => works.has(id));
      holder?.process.send({ kind: 'abort', id, message, isDeleted: isDeleted(signal) });
    },
  };
}

export function enterPhase(child: Child, phase: Child['phase']): void {
  child.phase = phase;
  child.phaseAt = monotonicMs();
}

/** @returns for how long the event loop has not turned */
export function blockedFor({ askedAt }: Child): number {
  return askedAt === undefined ? 0 : monotonicMs() - askedAt;
}

function childView(child: Child): ChildView {
  const { id, role, phase, phaseAt, works, isOutdated, supersededAt } = child;
  const now = monotonicMs();
  const aborts = [...works.values()].map(({ abortedAt }) => abortedAt ?? now);
  return {
    ...{ id, role, phase, isOutdated },
    phaseMs: now - phaseAt,
    blockedMs: blockedFor(child),
    events: works.size,
    ignoringMs: works.size === 0 ? 0 : now - Math.max(...aborts),
    supersededMs: supersededAt === undefined ? 0 : now - supersededAt,
  };
}

/** Finds the event that blocks it, and kills it. */
async function judge(child: Child): Promise<void> {
  const seconds = Math.round(blockedFor(child) / 1_000);
  child.killed = `The handler blocked the event loop for ${seconds} s`;
  child.blocked = await blockedCode(child.process);
  child.process.kill();
}

function stopProcess({ process }: Child): void {
  process.send({ kind: 'stop' });
  setTimeout(() => process.kill(), stopMs).unref();
}
