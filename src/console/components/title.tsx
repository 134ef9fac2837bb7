// The heading of a page, which is also the title of the window.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface TitleProps {
  readonly title: string;
  /** Shown beside the heading, such as a state or buttons. */
  readonly children?: ComponentChildren;
}

let isFirstPage = true;

/** Takes the focus when another page opens, so that screen readers read it, and the keys of the page work. */
export function Title({ title, children }: TitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Fairlead`;
    if (!isFirstPage) {
      heading.current?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    isFirstPage = false;
  }, [title]);
  return (
    <div class="title">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </div>
  );
}
