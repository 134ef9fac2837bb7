// The lines of a log. It stays at the end unless it is scrolled up.
import type { ComponentChild, ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { CopyButton } from '../../components/copy.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { State } from '../../components/state.tsx';
import { counted, text } from '../../text.ts';
import { type Chunk, textOf } from './log-buffer.ts';
import type { Log, LogState } from './use-log.ts';

interface LogViewProps {
  readonly log: Log;
  readonly label: string;
  readonly line: (line: string) => ComponentChild;
  /** Shown when there is no line. */
  readonly empty: string;
  readonly isPaused?: boolean;
  /** Further controls. */
  readonly children?: ComponentChildren;
}

/** Pixels from the end that still count as the end. */
const endPx = 32;

export function LogView({ log, label, line, empty, isPaused = false, children }: LogViewProps) {
  const box = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const buffer = log.buffer.value;
  const { chunks, dropped, received } = buffer;
  const { value: state } = log.state;
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [buffer]);
  const hasEnded = state === 'ended';
  const toEnd = () => {
    const element = box.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  };
  return (
    <>
      <div class="actions log-controls">
        <LogStateSign state={state} isPaused={isPaused} isFailed={log.error.value !== undefined} />
        <span class="quiet">{counted('providers.lines', received)}</span>
        {children}
        <button type="button" class="small" onClick={toEnd}>
          {text('providers.to-end')}
        </button>
        <CopyButton value={async () => textOf(log.buffer.peek())} label={text('copy')} />
      </div>
      <ErrorBox error={log.error.value} />
      {dropped > 0 && <p class="quiet">{counted('providers.dropped', dropped)}</p>}
      <section
        ref={box}
        class="log"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keys
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < endPx;
        }}
      >
        {received === 0 && <p class="quiet">{hasEnded ? empty : text('providers.no-lines-yet')}</p>}
        {chunks.map((chunk) => (
          <Lines key={chunk.id} chunk={chunk} line={line} />
        ))}
      </section>
    </>
  );
}

interface LinesProps {
  readonly chunk: Chunk;
  readonly line: (line: string) => ComponentChild;
}

function Lines({ chunk: { lines }, line }: LinesProps) {
  // The same element again is not compared: only chunks with new lines are.
  return useMemo(
    () => (
      <div>
        {lines.map((each, at) => (
          <div key={at}>{line(each)}</div>
        ))}
      </div>
    ),
    [lines],
  );
}

interface LogStateSignProps {
  readonly state: LogState;
  readonly isPaused: boolean;
  readonly isFailed: boolean;
}

function LogStateSign({ state, isPaused, isFailed }: LogStateSignProps) {
  const shown = isFailed ? 'failed' : isPaused && state !== 'ended' ? 'paused' : state;
  return (
    <span role="status">
      <State state={shown} tone={tones[shown]} />
    </span>
  );
}

const tones = {
  failed: 'bad',
  paused: 'quiet',
  connecting: 'busy',
  live: 'good',
  ended: 'quiet',
} as const;
