// Puts the pages together.
import type { FunctionComponent } from 'preact';
import { Loading } from '../components/state.tsx';
import { DeadLettersPage } from '../pages/dead-letters/page.tsx';
import { ProvidersPage } from '../pages/providers/page.tsx';
import { ResourcePage } from '../pages/resource/page.tsx';
import { TypesPage } from '../pages/resource-types/page.tsx';
import { ResourcesPage } from '../pages/resources/page.tsx';
import { type PageName, route } from '../router/route.ts';
import { session } from '../session/session.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { KeyHelp } from './key-help.tsx';
import { Notices } from './notices.tsx';
import { SessionEnded } from './session-ended.tsx';
import { SignIn } from './sign-in.tsx';

const pages: Readonly<Record<PageName, FunctionComponent>> = {
  resources: ResourcesPage,
  resource: ResourcePage,
  providers: ProvidersPage,
  'dead-letters': DeadLettersPage,
  types: TypesPage,
};

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
  const Page = pages[page];
  return (
    <>
      <Header />
      <main id="main" tabIndex={-1}>
        <ErrorBoundary key={`${page}/${path.join('/')}`}>
          <Page />
        </ErrorBoundary>
      </main>
      <Notices />
      <KeyHelp />
      <SessionEnded />
    </>
  );
}
