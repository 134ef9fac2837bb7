// Corrections of resources that are held, because so many objects differ that the provider may look in the wrong place.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Provider } from '../../../api/shapes.ts';
import { call } from '../../api/client.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Ago } from '../../components/time.tsx';
import { hrefTo } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { notify } from '../../shell/notices.tsx';
import { text } from './text.ts';

interface HeldProps {
  readonly provider: Pick<Provider, 'provider' | 'corrections_held'>;
  readonly reload: () => Promise<void>;
}

/** Nothing while corrections are not held. */
export function CorrectionsHeld({
  provider: { provider, corrections_held: held },
  reload,
}: HeldProps) {
  const id = useId();
  const isAsking = useSignal(false);
  if (held === null) return null;
  const close = () => {
    isAsking.value = false;
  };
  const release = async () => {
    await call('releaseCorrections', { path: { provider } });
    notify(text('providers.corrections-released', { provider }));
    close();
    await reload();
  };
  const isAdmin = may('releaseCorrections');
  return (
    <section class="card bad" aria-labelledby={id}>
      <h2 id={id}>{text('providers.corrections-held')}</h2>
      <p class="pre">{held.message}</p>
      <p class="quiet">
        {text('providers.corrections-since')} <Ago time={held.since} />
      </p>
      <p class="actions">
        <a class="button" href={hrefTo('resources', [], { filter: provider, drift: 'true' })}>
          {text('providers.corrections-show')}
        </a>
        {isAdmin && (
          <button
            type="button"
            onClick={() => {
              isAsking.value = true;
            }}
          >
            {text('providers.corrections-ask')}
          </button>
        )}
      </p>
      {isAsking.value && (
        <Dialog title={text('providers.corrections-title', { provider })} onClose={close}>
          <p class="pre">{held.message}</p>
          <p>{text('providers.corrections-effect')}</p>
          <Confirm kind="danger" run={release} onClose={close}>
            {text('providers.corrections-now')}
          </Confirm>
        </Dialog>
      )}
    </section>
  );
}
