// The page for an address that is none.
import { Title } from '../../components/title.tsx';
import { hrefTo, route } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { linkedPages } from '../index.ts';
import { text } from './text.ts';

export function UnknownPage() {
  // Read with the route, which follows it.
  void route.value;
  return (
    <>
      <Title title={text('unknown.title')} />
      <p>{text('unknown.message', { address: location.hash })}</p>
      <p>{text('unknown.advice')}</p>
      <ul>
        {linkedPages
          .filter(({ shows }) => may(shows))
          .map(({ name, title }) => (
            <li key={name}>
              <a href={hrefTo(name)}>{text(title)}</a>
            </li>
          ))}
      </ul>
    </>
  );
}
