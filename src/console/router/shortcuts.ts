// The keys that work on every page. They do nothing while something is typed, or a dialog is open.
import { signal } from '@preact/signals';
import { linkedPages } from '../pages/index.ts';
import { goTo, hrefTo } from './route.ts';

export const isKeyHelpOpen = signal(false);

const sequenceMs = 1_500;
let startedAt = 0;

export function listenForKeys(): void {
  document.addEventListener('keydown', (event) => {
    const isHeld = event.ctrlKey || event.metaKey || event.altKey;
    if (isHeld || event.defaultPrevented || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    if (pressed(event.key)) event.preventDefault();
  });
}

function pressed(key: string): boolean {
  const isSequence = performance.now() - startedAt < sequenceMs;
  const page = isSequence ? linkedPages.find((each) => each.key === key) : undefined;
  startedAt = key === 'g' ? performance.now() : 0;
  if (page !== undefined) goTo(hrefTo(page.name));
  else if (key === '/') return focusSearch();
  else if (key === '?') isKeyHelpOpen.value = true;
  else if (key === 'j') return moveRow(1);
  else if (key === 'k') return moveRow(-1);
  else return false;
  return true;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  field?.focus();
  field?.select();
  return field !== null;
}

/** Rows are links with `data-row`; Enter opens the one that has the focus. */
function moveRow(step: number): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  if (rows.length === 0) return false;
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? 0 : at + step;
  const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
  row?.focus();
  row?.scrollIntoView({ block: 'nearest' });
  return true;
}
