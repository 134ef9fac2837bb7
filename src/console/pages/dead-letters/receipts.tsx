// Receipts of resources that were removed without clean-up by their provider: what may remain outside.

import type { Receipt } from '../../../api/shapes.ts';
import { call } from '../../api/client.ts';
import { Action } from '../../components/action.tsx';
import { CommandLine } from '../../components/command-line.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { usePolled } from '../../live/polled.ts';
import { may } from '../../session/rights.ts';
import { notify } from '../../shell/notices.tsx';
import { leftByRemoval } from './left-behind.ts';
import { text } from './text.ts';

const everyMs = 10_000;

export function Receipts() {
  const polled = usePolled({
    key: 'receipts',
    everyMs,
    load: (signal) => call('listOrphanReceipts', { signal }),
  });
  const receipts = polled.value.value;
  return (
    <>
      <p>{text('dead-letters.receipts-meaning')}</p>
      <ErrorBox error={polled.error.value} />
      {receipts === undefined && polled.error.value === undefined && <Loading />}
      {receipts?.length === 0 && <p class="empty">{text('dead-letters.no-receipts')}</p>}
      {receipts?.map((receipt) => (
        <ReceiptCard key={receipt.id} receipt={receipt} reload={polled.reload} />
      ))}
      <CommandLine commands={['fairlead receipts list']} />
    </>
  );
}

function ReceiptCard({ receipt, reload }: { receipt: Receipt; reload: () => Promise<void> }) {
  const {
    id,
    provider,
    resource_type: type,
    resource_name: name,
    reason,
    error,
    outputs,
  } = receipt;
  const leftover = leftByRemoval(receipt);
  const remove = async () => {
    await call('deleteOrphanReceipt', { path: { id } });
    notify(text('dead-letters.receipt-deleted'));
    await reload();
  };
  return (
    <article class="card">
      <h2>
        {provider}/{type}/{name}
      </h2>
      <p>
        {receiptText(receipt)} <code class="quiet">{reason}</code> ·{' '}
        <Ago time={receipt.created_at} />
      </p>
      {leftover !== undefined && <p>{leftover}</p>}
      {error !== null && <p class="pre">{error}</p>}
      <details>
        <summary>{text('dead-letters.outputs')}</summary>
        <pre class="block">{JSON.stringify(outputs, null, 2)}</pre>
      </details>
      {may('deleteOrphanReceipt') && (
        <Action kind="danger" run={remove}>
          {text('dead-letters.delete-receipt')}
        </Action>
      )}
    </article>
  );
}

function receiptText({ kind, protected: isProtected }: Receipt): string {
  const what = text(`dead-letters.receipt.${kind}`);
  return isProtected ? `${what} ${text('dead-letters.receipt.protected')}` : what;
}
