// Names and states of dead letters, of redrives and of receipts of orphans, as they are stored and shown.

export const eventIdPattern = /^evt-[0-9a-f]{32}$/;

/** The form of the fingerprint that groups dead letters by their cause. */
export const causePattern = /^[0-9a-f]{12}$/;

export const redriveStates = ['running', 'held', 'done'] as const;

/** `waiting`: no dead letter of the cause was sent yet. */
export const redriveCauseStates = ['waiting', 'trying', 'open', 'held'] as const;

export const receiptIdPattern = /^receipt-[0-9a-z-]{1,63}$/;

/** Why a resource was removed without its provider. */
export const receiptReasons = [
  'Forced',
  'OrphanPolicy',
  'NamespaceDeleted',
  'FinalizerRemoved',
  'ObjectTaken',
] as const;
export type ReceiptReason = (typeof receiptReasons)[number];

/** `Orphaned`: left on purpose. `Abandoned`: its provider did not clean up. */
export const receiptKinds = ['Orphaned', 'Abandoned'] as const;
export function receiptKind(reason: ReceiptReason): (typeof receiptKinds)[number] {
  return reason === 'OrphanPolicy' || reason === 'ObjectTaken' ? 'Orphaned' : 'Abandoned';
}
