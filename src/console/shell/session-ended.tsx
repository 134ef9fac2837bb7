// The session ended: the page stays behind the dialog, and the sign-in leads back to it.
import { Action } from '../components/action.tsx';
import { Dialog } from '../components/dialog.tsx';
import { isCommandLine, session, settings } from '../session/session.ts';
import { goToIssuer } from '../session/sign-in.ts';
import { text } from '../text.ts';
import { begin } from './start.ts';

export function SessionEnded() {
  if (session.value.kind !== 'ended') return null;
  const { signIn } = settings.value ?? {};
  return (
    <Dialog title={text('session-ended.title')} isRequired>
      <p class="pre">{session.value.reason}</p>
      {signIn ? (
        <>
          <p>{text('session-ended.advice')}</p>
          <Action kind="primary" run={() => goToIssuer(signIn)}>
            {text('sign-in.again')}
          </Action>
        </>
      ) : (
        <>
          <p>
            {isCommandLine.value && text('session-ended.command-line')}{' '}
            {isCommandLine.value && <code>fairlead login</code>}
          </p>
          <Action kind="primary" run={begin}>
            {text('try-again')}
          </Action>
        </>
      )}
    </Dialog>
  );
}
