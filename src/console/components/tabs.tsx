// Parts of a page, of which one is shown; which one is in the address, so that it can be linked.
import { hrefTo, type Query, route } from '../router/route.ts';

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly name: string; readonly title: string }[];
  readonly current: string;
  /** The rest of the query, such as a filter, that all tabs have. */
  readonly query?: Query;
}

/** Links rather than the role `tab`, as each is an address: `?show=NAME`. */
export function Tabs({ label, tabs, current, query }: TabsProps) {
  const { page, path } = route.value;
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, title }) => (
        <a
          key={name}
          href={hrefTo(page, path, { ...query, show: name })}
          aria-current={name === current ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

/** @returns the name of the tab in the address; the first one when there is none, or an unknown one */
export function currentTab<Name extends string>(names: readonly [Name, ...Name[]]): Name {
  const asked = route.value.query.get('show');
  return names.find((name) => name === asked) ?? names[0];
}
