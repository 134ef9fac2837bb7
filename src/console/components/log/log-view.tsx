// Shows a log, and stays at its end unless the reader scrolls up.
import type { ComponentChild, ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { counted, text } from '../../text.ts';
import { CopyButton } from '../copy.tsx';
import { ErrorBox } from '../error-box.tsx';
import { shownLine } from './line-text.ts';
import type { LogLines } from './log.ts';

type ShowLine = (line: string) => ComponentChild;

interface LogViewProps {
  readonly log: LogLines;
  readonly label: string;
  /** How a line is shown; as it is by default. The same function at every rendering: a line is shown once. */
  readonly line?: ShowLine;
  /** Shown while there is no line. */
  readonly empty: string;
  readonly isPaused?: boolean;
  /** Further controls. */
  readonly children?: ComponentChildren;
}

/** Pixels from the end that count as the end. */
const nearEnd = 40;

export function LogView({
  log,
  label,
  line = shownLine,
  empty,
  isPaused = false,
  children,
}: LogViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const lines = log.lines.value;
  useLayoutEffect(() => {
    const { current } = box;
    if (current !== null && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [lines]);
  const scrolled = () => {
    const { current } = box;
    if (current === null) return;
    isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < nearEnd;
  };
  return (
    <section class="log" aria-label={label}>
      <p class="actions">
        <CopyButton value={() => Promise.resolve(log.lines.value.join('\n'))} what={label} />
        {children}
        <span class="quiet" role="status">
          {logStateText(log, isPaused)}
          {log.dropped.value > 0 && ` ${counted('log.dropped', log.dropped.value)}`}
        </span>
      </p>
      <ErrorBox error={log.error.value} />
      <div
        ref={box}
        class="log-lines"
        role="log"
        aria-label={label}
        aria-live="off"
        tabIndex={0}
        onScroll={scrolled}
      >
        {lines.length === 0 && <p class="quiet">{empty}</p>}
        {lines.map((each, at) => (
          // Lines are only added at the end, and dropped at the beginning.
          <Line key={log.dropped.value + at} written={each} line={line} />
        ))}
      </div>
    </section>
  );
}

function logStateText(log: LogLines, isPaused: boolean): string {
  // The error is shown instead.
  if (log.error.value !== undefined) return '';
  if (log.isComplete.value) return text('log.complete');
  return text(isPaused ? 'log.paused' : 'log.live');
}

/** Thousands of lines are not parsed again for each that arrives. */
function Line({ written, line }: { readonly written: string; readonly line: ShowLine }) {
  return useMemo(() => <div>{line(written)}</div>, [written, line]);
}
