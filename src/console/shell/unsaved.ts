// Asks before what was typed is lost.
import { useEffect } from 'preact/hooks';
import { askBeforeLeaving } from '../router/route.ts';
import { text } from '../text.ts';

/** While `isChanged`, another page, a reload and closing the tab ask first. */
export function useUnsaved(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return undefined;
    const allow = askBeforeLeaving(() => window.confirm(text('unsaved.question')));
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => {
      allow();
      window.removeEventListener('beforeunload', warn);
    };
  }, [isChanged]);
}
