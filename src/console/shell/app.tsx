// Puts the pages together.
import { Loading } from '../components/state.tsx';
import { route } from '../router/route.ts';
import { session } from '../session/session.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { KeyHelp } from './key-help.tsx';
import { Notices } from './notices.tsx';
import { Page } from './pages.tsx';
import { SessionEnded } from './session-ended.tsx';
import { SignIn } from './sign-in.tsx';

export function App() {
  const { kind } = session.value;
  if (kind === 'signed-out') return <SignIn />;
  if (kind === 'starting') {
    return (
      <main>
        <Loading />
      </main>
    );
  }
  const { page, path } = route.value;
  return (
    <>
      <Header />
      <main id="main" tabIndex={-1}>
        <ErrorBoundary key={`${page}/${path.join('/')}`}>
          <Page name={page} />
        </ErrorBoundary>
      </main>
      <Notices />
      <KeyHelp />
      <SessionEnded />
    </>
  );
}
