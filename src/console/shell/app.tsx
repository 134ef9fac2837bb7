// Puts the pages together. A page that fails shows its error and leaves the navigation.
import { Component, type ComponentChildren } from 'preact';
import { ErrorBox } from '../components/error-box.tsx';
import { Loading } from '../components/state.tsx';
import { route } from '../router/route.ts';
import { session } from '../session/session.ts';
import { text } from '../text.ts';
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

interface ErrorBoundaryProps {
  readonly children: ComponentChildren;
}

/** Errors of rendering: a class, as hooks cannot catch them. */
class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly failed: boolean }> {
  override state = { failed: false };

  override componentDidCatch(error: unknown): void {
    this.setState({ failed: true });
    // For reports of defects: the console of the browser has the stack.
    reportError(error);
  }

  override render() {
    if (this.state.failed) return <ErrorBox error={new Error(text('error.unknown'))} />;
    return this.props.children;
  }
}
