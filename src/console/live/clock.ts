// The present, for ages and countdowns.
import { signal } from '@preact/signals';

/** Milliseconds since the epoch; changes every second. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) now.value = Date.now();
});
