// Says whether an object exists, as one observation has found after a failure or a forced deletion.

/** An older server sends none; null: nothing is known. */
export interface LeftBehind {
  readonly exists?: boolean | null;
}

export function existsText({ exists = null }: LeftBehind): string {
  if (exists === null) return '';
  return exists ? 'yes' : 'no';
}
