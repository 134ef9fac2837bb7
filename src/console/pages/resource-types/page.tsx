// The page Types: the list of them, or one of them.
import { route } from '../../router/route.ts';
import { TypePage } from './type.tsx';
import { TypeList } from './type-list.tsx';

export function TypesPage() {
  const [provider, resource] = route.value.path;
  if (provider === undefined || resource === undefined) return <TypeList />;
  return <TypePage key={`${provider}/${resource}`} provider={provider} resource={resource} />;
}
