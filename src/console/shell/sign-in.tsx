// The page of those who have not signed in.
import { Action } from '../components/action.tsx';
import { Brand } from '../components/brand.tsx';
import { session, settings } from '../session/session.ts';
import { goToIssuer } from '../session/sign-in.ts';
import { text } from '../text.ts';
import { begin } from './start.ts';

export function SignIn() {
  if (session.value.kind !== 'signed-out') return null;
  const { problem } = session.value;
  return (
    <main class="sign-in">
      <p class="brand">
        <Brand />
      </p>
      <div class="card">
        <h1>{text('sign-in')}</h1>
        {problem !== undefined && (
          <div class="error-box" role="alert">
            <p class="pre">{problem}</p>
          </div>
        )}
        <SignInChoice />
      </div>
    </main>
  );
}

function SignInChoice() {
  const known = settings.value;
  if (known === undefined || known.commandLine) {
    return (
      <Action kind="primary" run={begin}>
        {text('try-again')}
      </Action>
    );
  }
  const { signIn } = known;
  if (signIn === null) {
    return (
      <>
        <p>{text('sign-in.none')}</p>
        <p>
          <code>fairlead console</code>
        </p>
      </>
    );
  }
  return (
    <>
      <p>{text('sign-in.at', { issuer: signIn.issuer })}</p>
      <Action kind="primary" run={() => goToIssuer(signIn)}>
        {text('sign-in')}
      </Action>
    </>
  );
}
