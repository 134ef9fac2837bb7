// The config as YAML, and what was changed last.
import type { Signal } from '@preact/signals';
import type { HistoryEntry, ResourceDefinition, ResourceRecord } from '../../../api/shapes.ts';
import { dottedPointer } from '../../../lib/json.ts';
import { Block } from '../../components/block.tsx';
import { yamlText } from '../../components/text/yaml.ts';
import { Ago } from '../../components/time.tsx';
import { Changes } from './history/history.tsx';
import { hiddenIn, shownOf } from './secrets.ts';
import { text } from './text.ts';

interface ConfigProps {
  readonly record: ResourceRecord;
  /** Undefined when it is not known. */
  readonly type: ResourceDefinition | undefined;
  readonly isRevealed: Signal<boolean>;
  readonly history: readonly HistoryEntry[] | undefined;
}

export function Config({ record, type, isRevealed, history }: ConfigProps) {
  const shown = shownOf(record, type);
  const hidden = hiddenIn('config', shown.hidden);
  const isShown = isRevealed.value && !shown.isByRole;
  const yaml = isShown
    ? yamlText(record.config)
    : yamlText(shown.config, { hidden: new Set(hidden) });
  const latest = history?.find(({ current }) => current);
  return (
    <>
      <section>
        <h2>{text('resource.config')}</h2>
        <Hidden
          paths={hidden.map((path) => `config${path}`)}
          isByRole={shown.isByRole}
          isRevealed={isRevealed}
        />
        <Block value={yaml} label={text('resource.config')} copy={text('resource.copy-yaml')} />
      </section>
      {latest !== undefined && <LastChange entry={latest} />}
    </>
  );
}

interface HiddenProps {
  readonly paths: readonly string[];
  readonly isByRole: boolean;
  readonly isRevealed: Signal<boolean>;
}

function Hidden({ paths, isByRole, isRevealed }: HiddenProps) {
  if (paths.length === 0) return null;
  const names = paths
    .map((path) => (path.includes('/') ? dottedPointer(`/${path}`) : path))
    .join(', ');
  if (isByRole) return <p class="quiet">{text('resource.hidden.role', { paths: names })}</p>;
  return (
    <p class="actions">
      <label>
        <input
          type="checkbox"
          checked={isRevealed.value}
          onInput={(event) => {
            isRevealed.value = event.currentTarget.checked;
          }}
        />{' '}
        {text('resource.hidden.show')}
      </label>
      <span class="quiet">{names}</span>
    </p>
  );
}

function LastChange({ entry }: { readonly entry: HistoryEntry }) {
  return (
    <section>
      <h2>{text('resource.last-change')}</h2>
      <p class="pre">
        {text('resource.revision', { revision: entry.revision })} · <Ago time={entry.applied_at} />
        {entry.applied_by !== null && ` · ${entry.applied_by_name ?? entry.applied_by}`}
      </p>
      <Changes entry={entry} />
    </section>
  );
}
