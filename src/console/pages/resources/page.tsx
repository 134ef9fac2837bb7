import { Title } from '../../components/title.tsx';
import { counted, text } from '../../text.ts';

export function ResourcesPage() {
  return (
    <Title title={text('resources.title')}>
      <p>{counted('resources.count', 0)}</p>
    </Title>
  );
}
