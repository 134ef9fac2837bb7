// The step before the deletion of a protected resource: it is a step of its own, and nothing is deleted by it.
import { slashed } from '../../../../domain/identity.ts';
import type { ApiError } from '../../../api/errors.ts';
import { Action } from '../../../components/action.tsx';
import { may } from '../../../session/rights.ts';
import { changeOption } from '../options/options.ts';
import type { Version } from '../version.ts';
import { text } from './text.ts';

/** Returns whether a refusal is that of a protected resource, which force does not override. */
export function isOfProtection(refusal: ApiError | undefined): boolean {
  return refusal?.code === 'resource_protected';
}

interface LiftProps {
  /** The one that is protected. */
  readonly version: Version;
  /** Asks again what a deletion would do. */
  readonly check: () => Promise<void>;
}

export function LiftProtection({ version, check }: LiftProps) {
  const lift = async () => {
    await changeOption(version.record, { protected: false });
    await check();
  };
  return (
    <div class="card busy">
      <p>{text('resource.delete.protected', { ref: slashed(version.record) })}</p>
      {may('updateResource') && <Action run={lift}>{text('resource.delete.lift')}</Action>}
    </div>
  );
}
