import { Title } from '../../components/title.tsx';
import { text } from '../../text.ts';

export function ResourcePage() {
  return <Title title={text('resources.title')} />;
}
