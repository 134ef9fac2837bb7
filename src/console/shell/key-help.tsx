// The keys that work, in a dialog.
import { Dialog } from '../components/dialog.tsx';
import { linkedPages } from '../pages/index.ts';
import { isKeyHelpOpen } from '../router/shortcuts.ts';
import { type TextKey, text } from '../text.ts';

const keys: readonly (readonly [readonly string[], TextKey])[] = [
  [['/'], 'keys.search'],
  [['j'], 'keys.next'],
  [['k'], 'keys.previous'],
  [['Enter'], 'keys.open'],
  ...linkedPages.map(({ key, title }) => [['g', key], title] as const),
  [['Esc'], 'keys.close'],
  [['?'], 'keys.title'],
];

export function KeyHelp() {
  if (!isKeyHelpOpen.value) return null;
  const close = () => {
    isKeyHelpOpen.value = false;
  };
  return (
    <Dialog title={text('keys.title')} onClose={close}>
      <dl class="keys">
        {keys.map(([pressed, meaning]) => (
          <div key={meaning}>
            <dt>
              {pressed.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text(meaning)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
