// Shows the rows of a long list that are in sight: thousands of elements would make scrolling slow.
import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface VirtualRowsProps<T> {
  readonly items: readonly T[];
  /** Height of every row in pixels; the style sheet sets the same. */
  readonly rowHeight: number;
  readonly row: (item: T, index: number) => ComponentChild;
  /** Name of the table for screen readers. */
  readonly label: string;
  /** Names of the columns. */
  readonly columns: readonly string[];
}

/** Rows before and after those in sight, so that the keys `j` and `k` and fast scrolling find them. */
const overscan = 12;

/** The page scrolls, not a box in it, so that the list also works on a phone. Each row is a `RowLink`. */
export function VirtualRows<T>({ items, rowHeight, row, label, columns }: VirtualRowsProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  const range = useSignal({ first: 0, last: 60 });
  useEffect(() => {
    let frame = 0;
    const measure = () => {
      frame = 0;
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const { first, last } = rowsInSight({ top, below: window.innerHeight - top, rowHeight });
      const { first: before, last: until } = range.peek();
      if (first !== before || last !== until) range.value = { first, last };
    };
    const request = () => {
      if (frame === 0) frame = requestAnimationFrame(measure);
    };
    measure();
    window.addEventListener('scroll', request, { passive: true });
    window.addEventListener('resize', request);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', request);
      window.removeEventListener('resize', request);
    };
  }, [rowHeight, range]);
  const { first, last } = range.value;
  const start = Math.min(first, Math.max(0, items.length - 1));
  const shown = items.slice(start, last);
  return (
    <div role="table" class="rows" aria-label={label} aria-rowcount={items.length + 1}>
      <div role="row" class="row heading" aria-rowindex={1}>
        {columns.map((column) => (
          <span role="columnheader" key={column}>
            {column}
          </span>
        ))}
      </div>
      <div role="rowgroup" ref={list} class="virtual">
        <Spacer height={start * rowHeight} />
        {shown.map((item, index) => row(item, start + index))}
        <Spacer height={Math.max(0, items.length - last) * rowHeight} />
      </div>
    </div>
  );
}

interface ListPlace {
  /** Pixels from the top of the window to the list, and from there to its bottom: negative for what is beyond an edge. */
  readonly top: number;
  readonly below: number;
  readonly rowHeight: number;
}

/** @returns the rows from the first one up to the last, without it: the first ones of a list that is far below the window */
export function rowsInSight({ top, below, rowHeight }: ListPlace): {
  readonly first: number;
  readonly last: number;
} {
  const first = Math.max(0, Math.floor(-top / rowHeight) - overscan);
  const last = Math.max(0, Math.ceil(below / rowHeight)) + overscan;
  return { first, last };
}

/** An element of SVG, as the policy of the page forbids style attributes, and its height is an attribute. */
function Spacer({ height }: { readonly height: number }) {
  return <svg class="spacer" width="1" height={height} aria-hidden="true" focusable="false" />;
}

interface RowLinkProps {
  readonly href: string;
  /** From 0. */
  readonly index: number;
  readonly cells: readonly ComponentChild[];
}

/** A row of VirtualRows: its first cell is the link, which covers the row. */
export function RowLink({ href, index, cells }: RowLinkProps) {
  const [first, ...others] = cells;
  return (
    <div role="row" class="row" aria-rowindex={index + 2}>
      <span role="rowheader">
        <a href={href} data-row>
          {first}
        </a>
      </span>
      {others.map((cell, at) => (
        <span role="cell" key={at}>
          {cell}
        </span>
      ))}
    </div>
  );
}
