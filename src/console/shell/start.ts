// How a session begins: settings, the answer of the issuer if this is one, and who the caller is.
import { call } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { errorMessage } from '../components/error-box.tsx';
import { routeOf } from '../router/address.ts';
import { route } from '../router/route.ts';
import { takeKey } from '../session/command-line.ts';
import { beginSession, me, session, settings } from '../session/session.ts';
import { readSettings, type SignInSettings } from '../session/settings.ts';
import {
  forgetSignIn,
  goToIssuer,
  isAnswer,
  tokensOfAnswer,
  wasSignedIn,
} from '../session/sign-in.ts';
import { text } from '../text.ts';

/** Signs in if that needs no question, and otherwise shows the sign-in. Never rejects. */
export async function begin(): Promise<void> {
  try {
    settings.value = await readSettings();
    const { signIn, commandLine } = settings.value;
    if (commandLine) await enterWithKey();
    else if (signIn === null) session.value = { kind: 'signed-out' };
    else if (isAnswer()) await finishSignIn(signIn);
    else if (wasSignedIn()) await goToIssuer(signIn);
    else session.value = { kind: 'signed-out' };
  } catch (thrown) {
    forgetSignIn();
    if (session.value.kind !== 'ended') {
      session.value = { kind: 'signed-out', problem: errorMessage(thrown) };
    }
  }
}

async function enterWithKey(): Promise<void> {
  takeKey();
  route.value = routeOf(location.hash);
  await enter();
}

async function finishSignIn(signIn: SignInSettings): Promise<void> {
  beginSession(await tokensOfAnswer(signIn), text('session-ended.expired'));
  route.value = routeOf(location.hash);
  await enter();
}

async function enter(): Promise<void> {
  try {
    me.value = await call('getMe', {});
  } catch (thrown) {
    // A token of one project may not ask.
    if (!(thrown instanceof ApiError && thrown.code === 'outside_project')) throw thrown;
  }
  session.value = { kind: 'signed-in' };
}
