// The declaration of a revision, and the way back to it: an edit that begins with it.

import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { HistoryEntry, ResourceRecord, ResourceRevision } from '../../../../api/shapes.ts';
import { slashed } from '../../../../domain/identity.ts';
import { dottedPointer } from '../../../../lib/json.ts';
import { call } from '../../../api/client.ts';
import { Action } from '../../../components/action.tsx';
import { Block } from '../../../components/block.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorBox } from '../../../components/error-box.tsx';
import { Loading } from '../../../components/state.tsx';
import { yamlText } from '../../../components/text/yaml.ts';
import { goTo, hrefTo } from '../../../router/route.ts';
import { may } from '../../../session/rights.ts';
import { configText, type Edit, editOf, isTyped } from '../edit/edit-form.ts';
import { dialogs } from '../later.ts';
import { hiddenIn } from '../secrets.ts';
import { readVersion } from '../version.ts';
import { text } from './text.ts';

interface RevisionProps {
  readonly record: ResourceRecord;
  readonly entry: HistoryEntry;
  readonly edit: Signal<Edit | undefined>;
  readonly onClose: () => void;
}

export function RevisionDialog({ record, entry, edit, onClose }: RevisionProps) {
  const { provider, resource, name } = record;
  const { revision } = entry;
  const found = useSignal<ResourceRevision | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  useEffect(() => {
    const path = { provider, resource, name, revision: `${revision}` };
    call('getResourceRevision', { path, query: { deleting: 'include' } }).then(
      (answer) => {
        found.value = answer;
      },
      (thrown: unknown) => {
        error.value = thrown;
      },
    );
  }, [provider, resource, name, revision]);
  const shown = found.value;
  return (
    <Dialog wide title={text('resource.revision', { revision })} onClose={onClose}>
      <ErrorBox error={error.value} />
      {shown === undefined && error.value === undefined && <Loading />}
      {shown !== undefined && <Content shown={shown} />}
      <footer>
        {shown !== undefined && canReturn(record, entry) && (
          <Action kind="primary" run={() => returnTo(record, { shown, edit })}>
            {text('resource.revision.apply')}
          </Action>
        )}
        <button type="button" onClick={onClose}>
          {text('close')}
        </button>
      </footer>
    </Dialog>
  );
}

function Content({ shown }: { readonly shown: ResourceRevision }) {
  const { config, dependencies, masked } = shown;
  const yaml = yamlText(config, { hidden: new Set(hiddenIn('config', masked)) });
  return (
    <>
      {masked.length > 0 && (
        <p>{text('resource.revision.masked', { paths: masked.map(dottedPointer).join(', ') })}</p>
      )}
      <Block value={yaml} label={text('resource.config')} copy={text('resource.copy-yaml')} />
      {dependencies.length > 0 && (
        <p>
          {text('resource.revision.dependencies', {
            refs: dependencies.map(slashed).join(', '),
          })}
        </p>
      )}
    </>
  );
}

function canReturn({ deletion_requested_at }: ResourceRecord, { current }: HistoryEntry): boolean {
  return !current && deletion_requested_at === null && may('applyResource');
}

async function returnTo(
  { id }: ResourceRecord,
  { shown, edit }: { shown: ResourceRevision; edit: Signal<Edit | undefined> },
): Promise<void> {
  const present = edit.value;
  const isLost = present !== undefined && isTyped(present);
  if (isLost && !window.confirm(text('resource.edit.discard'))) return;
  const [base] = await Promise.all([readVersion(id), dialogs.load()]);
  const { provider, resource, name } = base.record;
  edit.value = {
    ...editOf(base),
    config: configText(shown.config),
    state: 'pending',
    revision: shown.revision,
    dependencies: shown.dependencies,
    missing: shown.masked,
  };
  goTo(hrefTo('resource', [provider, resource, name], { show: 'config' }));
}
