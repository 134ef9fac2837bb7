// Defines the node's view of the containers of one pod as values: input of `decide` and of `status`.
import type { Container, Terminated } from './pod.ts';

export type ContainerState =
  | { readonly kind: 'new' }
  | {
      readonly kind: 'running';
      readonly startedAt: string;
      readonly containerID: string;
      readonly started: boolean;
      readonly ready: boolean;
      /** Being stopped; the time limit in milliseconds since the epoch. */
      readonly stopBy?: number;
      /** The probe result that requires a restart. */
      readonly unhealthy?: string;
    }
  | { readonly kind: 'ended'; readonly ended: Terminated };

/** The reason why a container does not run although it should. */
export interface PodProblem {
  readonly reason: string;
  readonly message: string;
}

export interface ContainerView {
  readonly container: Container;
  readonly state: ContainerState;
  readonly restarts: number;
  /** The end of the previous run. */
  readonly last?: Terminated | undefined;
  readonly problem?: PodProblem | undefined;
  /** The earliest restart, in milliseconds since the epoch. */
  readonly notBefore: number;
}

export interface PodView {
  readonly init: readonly ContainerView[];
  readonly main: readonly ContainerView[];
  readonly ip: string | undefined;
  /** When the node accepted the pod. */
  readonly startTime: string;
  /** Why the node ended the pod, if it did. */
  readonly verdict?: PodProblem | undefined;
  /** The object was returned to the API server, which now waits only for finalizers. */
  readonly released: boolean;
}
