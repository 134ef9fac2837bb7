import type { ResourceDefinition, ResourceRecord } from '../../../../api/shapes.ts';
import { Action } from '../../../components/action.tsx';
import { may } from '../../../session/rights.ts';
import { dialogs } from '../later.ts';
import { text } from '../text.ts';
import { isObservable } from './observable.ts';

interface ObserveProps {
  readonly record: ResourceRecord;
  /** Undefined when it is not known. */
  readonly type: ResourceDefinition | undefined;
}

/** A button that compares the object with the config now. */
export function ObserveNow({ record, type }: ObserveProps) {
  if (!may('observeResource') || !isObservable(record, type)) return null;
  const observe = async () => {
    await dialogs.load();
    await dialogs.code.value?.observeNow(record);
  };
  return <Action run={observe}>{text('resource.observe')}</Action>;
}
