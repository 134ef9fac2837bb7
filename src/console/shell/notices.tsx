// Short messages about what was done; screen readers read them.
import { signal } from '@preact/signals';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

const notices = signal<readonly Notice[]>([]);
const shownMs = 6_000;
let lastId = 0;

export function notify(text: string, tone: Notice['tone'] = 'good'): void {
  lastId += 1;
  const id = lastId;
  notices.value = [...notices.value, { id, text, tone }];
  setTimeout(() => {
    notices.value = notices.value.filter((notice) => notice.id !== id);
  }, shownMs);
}

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, text, tone }) => (
        <p key={id} class={tone}>
          {text}
        </p>
      ))}
    </div>
  );
}
