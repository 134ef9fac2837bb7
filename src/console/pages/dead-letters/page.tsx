// The page Dead letters: events that failed permanently, by cause; one of them; and receipts of what may remain outside.
import { CommandLine } from '../../components/command-line.tsx';
import { currentTab, Tabs } from '../../components/tabs.tsx';
import { Title } from '../../components/title.tsx';
import { hrefTo, route } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { DeadLetterCauses } from './causes.tsx';
import { EventPage } from './event.tsx';
import { DeadLetterEvents } from './events.tsx';
import { Receipts } from './receipts.tsx';
import { RedriveProgress } from './redrive.tsx';
import { text } from './text.ts';

export function DeadLettersPage() {
  const { path, query } = route.value;
  const [eventId] = path;
  if (!may('listDeadLetters')) {
    return (
      <>
        <Title title={text('dead-letters.title')} />
        <p>{text('dead-letters.not-allowed')}</p>
      </>
    );
  }
  if (eventId !== undefined) return <EventPage eventId={eventId} />;
  const cause = query.get('cause') ?? undefined;
  return cause === undefined ? <Overview /> : <OneCause cause={cause} />;
}

function Overview() {
  const shown = currentTab(['causes', 'receipts']);
  return (
    <>
      <Title title={text('dead-letters.title')} />
      <Tabs
        label={text('dead-letters.title')}
        current={shown}
        tabs={[
          { name: 'causes', title: text('dead-letters.causes') },
          { name: 'receipts', title: text('dead-letters.receipts') },
        ]}
      />
      {shown === 'causes' ? (
        <>
          <RedriveProgress />
          <DeadLetterCauses cause={undefined} />
          <CommandLine
            commands={['fairlead dead-letters list', 'fairlead dead-letters retry --all']}
          />
        </>
      ) : (
        <Receipts />
      )}
    </>
  );
}

function OneCause({ cause }: { readonly cause: string }) {
  return (
    <>
      <Title title={text('dead-letters.title')}>
        <a class="actions" href={hrefTo('dead-letters')}>
          {text('dead-letters.all-causes')}
        </a>
      </Title>
      <RedriveProgress />
      <DeadLetterCauses cause={cause} />
      <DeadLetterEvents cause={cause} />
      <CommandLine
        commands={[
          `fairlead dead-letters list --cause ${cause}`,
          `fairlead dead-letters retry --cause ${cause}`,
        ]}
      />
    </>
  );
}
