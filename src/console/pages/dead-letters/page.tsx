import { Title } from '../../components/title.tsx';
import { text } from '../../text.ts';

export function DeadLettersPage() {
  return <Title title={text('dead-letters.title')} />;
}
