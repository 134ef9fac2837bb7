// Shows a log, and stays at its end unless the reader scrolls up.
import type { ComponentChild } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { counted, text } from '../../text.ts';
import { CopyButton } from '../copy.tsx';
import { ErrorBox } from '../error-box.tsx';
import type { Log } from './log.ts';

interface LogViewProps {
  readonly log: Log;
  readonly label: string;
  /** How a line is shown; as it is by default. */
  readonly line?: (line: string) => ComponentChild;
  /** Shown while there is no line. */
  readonly empty: string;
}

/** Pixels from the end that count as the end. */
const nearEnd = 40;

export function LogView({ log, label, line = (each) => each, empty }: LogViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const lines = log.lines.value;
  useEffect(() => {
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
        <CopyButton
          value={() => Promise.resolve(log.lines.value.join('\n'))}
          label={text('copy')}
        />
        <span class="quiet" role="status">
          {text(log.isComplete.value ? 'log.complete' : 'log.live')}
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
          <div key={log.dropped.value + at}>{line(each)}</div>
        ))}
      </div>
    </section>
  );
}
