// An error with what to do next. All of it is text: messages may contain what tenants wrote.
import { errorHelp } from '../../client/words/error-help.ts';
import { ApiError } from '../api/errors.ts';
import { text } from '../text.ts';

export function ErrorBox({ error }: { readonly error: unknown }) {
  if (error === undefined || error === null) return null;
  const { code, help: given, requestId } = error instanceof ApiError ? error : {};
  const help = errorHelp(code, given);
  return (
    <div class="error-box" role="alert">
      <p class="pre">{errorMessage(error)}</p>
      {help !== undefined && <p>{help}</p>}
      {requestId !== undefined && (
        <p class="quiet">
          {text('error.request')} <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

/** @returns the message for people */
export function errorMessage(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : text('error.unknown');
}
