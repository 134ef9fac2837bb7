// Why a container cannot be started, with the reason a kubelet would give.
import type { Problem } from './view.ts';

export class ContainerProblem extends Error implements Problem {
  override readonly name = 'ContainerProblem';
  readonly reason: string;

  constructor(
    reason: 'CreateContainerConfigError' | 'ErrImageNeverPull' | 'ContainerCreating',
    message: string,
  ) {
    super(message);
    this.reason = reason;
  }
}
