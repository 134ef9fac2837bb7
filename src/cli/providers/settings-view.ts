// Shows the settings of a provider as rows.
import type { ProviderSettings } from '../../api/shapes.ts';
import { plainText } from '../../client/plain-text.ts';
import { since } from '../../client/time.ts';
import type { View } from '../render/output.ts';

type Setting = ProviderSettings['settings'][number];

export const settingView: View<Setting> = {
  columns: [
    { title: 'SETTING', cell: ({ name }) => name },
    { title: 'VALUE', cell: shownValue },
    { title: 'REQUIRED', cell: ({ required }) => (required ? 'yes' : '') },
    {
      title: 'SET',
      cell: ({ set_at }, { now, wide }) =>
        set_at === null || wide ? (set_at ?? '') : since(set_at, now),
    },
    { title: 'BY', cell: ({ set_by, set_by_name }) => set_by_name ?? set_by ?? '' },
    { title: 'ABOUT', cell: ({ description }) => description },
  ],
  nameOf: ({ name }) => name,
};

function shownValue({ is_set, sensitive, schema, value }: Setting): string {
  if (is_set === null) return '?';
  if (!is_set) {
    const standard = schema?.['default'];
    return standard === undefined ? 'not set' : `${plainText(standard)} (default)`;
  }
  return sensitive ? '(sensitive)' : plainText(value);
}
