// Unregisters a type. Its resources stay.

import type { ResourceDefinition } from '../../../api/shapes.ts';
import { typeName } from '../../../domain/identity.ts';
import { call } from '../../api/client.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { resources } from '../../live/resources.ts';
import { goTo, hrefTo } from '../../router/route.ts';
import { notify } from '../../shell/notices.tsx';
import { counted, text } from './text.ts';

interface UnregisterProps {
  readonly type: ResourceDefinition;
  readonly onClose: () => void;
}

export function UnregisterDialog({ type, onClose }: UnregisterProps) {
  const { provider, resource } = type;
  const name = typeName(type);
  const count = resources.value.filter((each) => typeName(each) === name).length;
  const run = async () => {
    await call('unregisterType', { path: { provider, resource } });
    notify(text('types.unregistered', { name }));
    onClose();
    goTo(hrefTo('types'));
  };
  return (
    <Dialog title={text('types.unregister-title', { name })} onClose={onClose}>
      <p>{text('types.unregister-effect')}</p>
      {count > 0 && (
        <p>
          {counted('types.has-resources', count)}{' '}
          <a href={hrefTo('resources', [], { filter: name })}>{text('types.show-resources')}</a>
        </p>
      )}
      <Confirm kind="danger" run={run} onClose={onClose}>
        {text('types.unregister-now', { name })}
      </Confirm>
    </Dialog>
  );
}
