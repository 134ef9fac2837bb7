import { Title } from '../../components/title.tsx';
import { text } from '../../text.ts';

export function TypesPage() {
  return <Title title={text('types.title')} />;
}
