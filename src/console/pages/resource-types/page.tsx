// The page Types: the list of them, or one of them.
import { Title } from '../../components/title.tsx';
import { route } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { text } from '../../text.ts';
import { TypePage } from './type.tsx';
import { TypeList } from './type-list.tsx';

export function TypesPage() {
  const [provider, resource] = route.value.path;
  if (!may('listTypes')) {
    return (
      <>
        <Title title={text('types.title')} />
        <p class="empty">{text('types.not-allowed')}</p>
      </>
    );
  }
  if (provider === undefined || resource === undefined) return <TypeList />;
  return <TypePage key={`${provider}/${resource}`} provider={provider} resource={resource} />;
}
