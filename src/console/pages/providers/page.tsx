// The page Providers: a list, or one provider with its versions, logs and settings.
import { Title } from '../../components/title.tsx';
import { route } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { text } from '../../text.ts';
import { ProviderView } from './provider.tsx';
import { ProviderList } from './provider-list.tsx';

export function ProvidersPage() {
  const [provider] = route.value.path;
  if (!may('listProviders')) {
    return (
      <>
        <Title title={text('providers.title')} />
        <p>{text('providers.not-allowed')}</p>
      </>
    );
  }
  return provider === undefined ? <ProviderList /> : <ProviderView name={provider} />;
}
