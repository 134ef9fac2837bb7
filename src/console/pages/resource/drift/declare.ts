// Begins an edit in which the config declares what was observed.
import type { Signal } from '@preact/signals';
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { configFromActual, insteadText } from '../../../../client/from-actual.ts';
import { goTo, hrefTo } from '../../../router/route.ts';
import { notify } from '../../../shell/notices.tsx';
import { configText, type Edit, editOf, isTyped } from '../edit/edit-form.ts';
import { dialogs } from '../later.ts';
import { readVersion } from '../version.ts';
import { text } from './text.ts';

/** @throws Error when what is there cannot be declared, with the reason */
export async function declareActual(
  { id }: Pick<ResourceRecord, 'id'>,
  edit: Signal<Edit | undefined>,
): Promise<void> {
  const present = edit.value;
  const isLost = present !== undefined && isTyped(present);
  if (isLost && !window.confirm(text('resource.edit.discard'))) return;
  const [base] = await Promise.all([readVersion(id), dialogs.load()]);
  const { provider, resource, name, drift, masked = [] } = base.record;
  // An apply would replace what is hidden with null.
  if (masked.length > 0) throw new Error(text('resource.edit.hidden'));
  if (drift === null) throw new Error(text('resource.correct.none'));
  const made = configFromActual(base.record, drift);
  if ('undeclarable' in made) {
    const { reason, paths, instead } = made.undeclarable;
    const because = paths.length === 0 ? reason : `${reason}: ${paths.join(', ')}`;
    throw new Error(`${because}. ${insteadText({ instead })}`);
  }
  edit.value = { ...editOf(base), config: configText(made.config) };
  notify(text('resource.declare.begun'));
  goTo(hrefTo('resource', [provider, resource, name], { show: 'config' }));
}
