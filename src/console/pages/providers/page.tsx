// The page Providers: the list of them, or one of them.

import { Title } from '../../components/title.tsx';
import { route } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { ProviderPage } from './provider.tsx';
import { ProviderList } from './provider-list.tsx';
import { text } from './text.ts';

export function ProvidersPage() {
  const [name] = route.value.path;
  if (!may('listProviders')) {
    return (
      <>
        <Title title={text('providers.title')} />
        <p class="empty">{text('providers.not-allowed')}</p>
      </>
    );
  }
  return name === undefined ? <ProviderList /> : <ProviderPage key={name} name={name} />;
}
