import { Title } from '../../components/title.tsx';
import { text } from '../../text.ts';

export function ProvidersPage() {
  return <Title title={text('providers.title')} />;
}
