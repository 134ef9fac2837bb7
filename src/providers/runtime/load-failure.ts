// Describes in one sentence for its author why the code of a provider cannot be loaded.

export const loadFailureCodes = [
  'no_package',
  'invalid_package',
  'no_entry',
  'dependency_not_found',
  'import_failed',
  'no_default_export',
  'not_a_provider',
  'other_provider',
  'duplicate_type',
] as const;
export type LoadFailureCode = (typeof loadFailureCodes)[number];

export class LoadFailure extends Error {
  override readonly name = 'LoadFailure';
  readonly code: LoadFailureCode;

  constructor(code: LoadFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
