// How many resources a page shows, and how many are in each state.
import type { ShownState } from '../../../client/shown-state.ts';
import { State } from '../../components/state.tsx';
import { hrefTo, route } from '../../router/route.ts';
import { numberText } from '../../text.ts';
import { states } from './model.ts';
import { counted, text } from './text.ts';

/** How many are shown, and of how many. */
export function Count({ shown, total }: { readonly shown: number; readonly total: number }) {
  const all = counted('resources.count', total);
  return (
    <span class="count" role="status">
      {shown === total ? all : text('resources.shown', { count: numberText(shown), total: all })}
    </span>
  );
}

interface StateFilterProps {
  readonly counts: Readonly<Record<ShownState, number>>;
  readonly drifted: number;
}

/** A press shows those of a state alone, by the query of the page. */
export function StateFilter({ counts, drifted }: StateFilterProps) {
  const { page, path, query } = route.value;
  const chosen = query.get('state');
  const isDrifted = query.get('drift') === 'true';
  const present = states.filter((state) => counts[state] > 0);
  if (present.length === 0) return null;
  const current = Object.fromEntries(query);
  return (
    <nav class="states" aria-label={text('resources.states')}>
      {present.map((state) => (
        <a
          key={state}
          class="button"
          aria-current={state === chosen ? 'true' : undefined}
          href={hrefTo(page, path, { ...current, state: state === chosen ? undefined : state })}
        >
          <State state={state} /> {numberText(counts[state])}
        </a>
      ))}
      {(drifted > 0 || isDrifted) && (
        <a
          class="button"
          aria-current={isDrifted ? 'true' : undefined}
          href={hrefTo(page, path, { ...current, drift: isDrifted ? undefined : 'true' })}
        >
          <State state="drifted" /> {numberText(drifted)}
        </a>
      )}
    </nav>
  );
}
