// The navigation, whose rights count, and whether the pages show the present.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Brand } from '../components/brand.tsx';
import { isConnected } from '../live/connection.ts';
import { linkedPages, linkOf } from '../pages/index.ts';
import { hrefTo, route } from '../router/route.ts';
import { isKeyHelpOpen } from '../router/shortcuts.ts';
import { may } from '../session/rights.ts';
import { isCommandLine, me, settings } from '../session/session.ts';
import { signOut } from '../session/sign-in.ts';
import { text } from '../text.ts';

export function Header() {
  const { page } = route.value;
  const current = linkOf(page);
  // The menu of a narrow window: another page closes it.
  const isMenuOpen = useSignal(false);
  useEffect(() => {
    isMenuOpen.value = false;
  }, [route.value, isMenuOpen]);
  return (
    <header class="top">
      <button type="button" class="skip" onClick={skip}>
        {text('skip')}
      </button>
      <a class="brand" href={hrefTo('resources')}>
        <Brand />
      </a>
      <button
        type="button"
        class="menu"
        aria-expanded={isMenuOpen.value}
        aria-controls="pages"
        onClick={() => {
          isMenuOpen.value = !isMenuOpen.value;
        }}
      >
        {text('menu')}
      </button>
      <nav id="pages" class={isMenuOpen.value ? 'open' : ''} aria-label={text('navigation')}>
        {linkedPages
          .filter(({ shows }) => may(shows))
          .map(({ name, title }) => (
            <a key={name} href={hrefTo(name)} aria-current={name === current ? 'page' : undefined}>
              {text(title)}
            </a>
          ))}
      </nav>
      <Connection />
      <Account />
    </header>
  );
}

/** A link to `#main` would be another page. */
function skip(): void {
  document.querySelector<HTMLElement>('#main')?.focus();
}

function Connection() {
  return (
    <p class="connection" role="status">
      {!isConnected.value && <span class="lost">{text('connection.lost')}</span>}
    </p>
  );
}

function Account() {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const isOutside =
        event.target instanceof Node && menu.current?.contains(event.target) === false;
      const isEscape = event instanceof KeyboardEvent && event.key === 'Escape';
      if (menu.current !== null && (isOutside || isEscape)) menu.current.open = false;
    };
    document.addEventListener('click', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('click', close);
      document.removeEventListener('keydown', close);
    };
  }, []);
  const caller = me.value;
  if (caller === undefined) return null;
  const {
    display,
    organization_name: name,
    organization_id: id,
    role,
    project_id: project,
  } = caller;
  const { signIn } = settings.value ?? {};
  return (
    <details class="account" ref={menu}>
      <summary>
        <b>{name ?? id}</b> <span class="quiet">{role}</span>
      </summary>
      <div>
        <dl>
          <dt>{text('account.user')}</dt>
          <dd>{display}</dd>
          <dt>{text('account.organization')}</dt>
          <dd>{id}</dd>
          {project !== null && <dt>{text('account.project')}</dt>}
          {project !== null && <dd>{project}</dd>}
        </dl>
        <p>
          <button
            type="button"
            onClick={() => {
              isKeyHelpOpen.value = true;
            }}
          >
            {text('keys.title')}
          </button>{' '}
          {signIn && (
            <button type="button" onClick={() => void signOut(signIn)}>
              {text('sign-out')}
            </button>
          )}
        </p>
        {isCommandLine.value && <p class="quiet">{text('account.command-line')}</p>}
      </div>
    </details>
  );
}
