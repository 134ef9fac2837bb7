// Describes why a container cannot start, with the reason that a kubelet reports.
import type { PodProblem } from './pod-view.ts';

export class ContainerProblem extends Error implements PodProblem {
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
