// Buttons that change how Fairlead treats a resource: those that turn an option on or off, and its expiry.
import { useSignal } from '@preact/signals';
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { type FlagName, flagNames } from '../../../../client/resource-options.ts';
import { isInDeletion } from '../../../../client/shown-state.ts';
import { slashed } from '../../../../domain/identity.ts';
import { Action } from '../../../components/action.tsx';
import { may } from '../../../session/rights.ts';
import { notify } from '../../../shell/notices.tsx';
import { dialogs } from '../later.ts';
import { text } from '../text.ts';
import { changeOption } from './options.ts';

export function OptionActions({ record }: { readonly record: ResourceRecord }) {
  const isAsking = useSignal(false);
  const { ExpiryDialog } = dialogs.code.value ?? {};
  if (!may('updateResource') || isInDeletion(record)) return null;
  return (
    <>
      {flagNames.map((option) => (
        <Switch key={option} record={record} option={option} />
      ))}
      <Action
        run={async () => {
          await dialogs.load();
          isAsking.value = true;
        }}
      >
        {text('resource.expiry')}
      </Action>
      {isAsking.value && ExpiryDialog && (
        <ExpiryDialog
          record={record}
          onClose={() => {
            isAsking.value = false;
          }}
        />
      )}
    </>
  );
}

function Switch({ record, option }: { record: ResourceRecord; option: FlagName }) {
  const is = record[option];
  const turn = async () => {
    await changeOption(record, { [option]: !is });
    notify(text(`resource.${option}.${is ? 'ended' : 'begun'}`, { ref: slashed(record) }));
  };
  return <Action run={turn}>{text(`resource.${option}.${is ? 'end' : 'begin'}`)}</Action>;
}
