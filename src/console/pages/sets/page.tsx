// The page Sets: all sets of the organization, and one of them with its members.
import { useEffect } from 'preact/hooks';
import { followResources } from '../../live/resources.ts';
import { route } from '../../router/route.ts';
import { OneSet } from './set.tsx';
import { SetList } from './set-list.tsx';

export function SetsPage() {
  useEffect(followResources, []);
  const [first, second] = route.value.path;
  if (first === undefined) return <SetList />;
  // A set without a project in the address is that of the default project, as in the API.
  const id = second === undefined ? { name: first } : { project: first, name: second };
  return <OneSet key={route.value.path.join('/')} {...id} />;
}
