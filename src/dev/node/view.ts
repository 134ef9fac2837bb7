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
      /** It was told to end, and has until this moment, in milliseconds of the epoch. */
      readonly stopBy?: number;
      /** Why it must be restarted: what its probe said. */
      readonly unhealthy?: Unhealthy;
    }
  | { readonly kind: 'ended'; readonly ended: Terminated };

export interface Unhealthy {
  readonly message: string;
  readonly graceSeconds?: number | undefined;
}

/** Why a container does not run although it should. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
}

export interface ContainerView {
  readonly container: Container;
  readonly state: ContainerState;
  readonly restarts: number;
  /** How the run before this one ended. */
  readonly last?: Terminated | undefined;
  readonly problem?: Problem | undefined;
  /** Not started again before this moment, in milliseconds of the epoch. */
  readonly notBefore: number;
}

export interface PodView {
  readonly init: readonly ContainerView[];
  readonly main: readonly ContainerView[];
  readonly ip: string | undefined;
  /** When the node took the pod. */
  readonly startTime: string;
  /** Why the node ended the pod, when it did. */
  readonly verdict?: Problem | undefined;
  /** The object was given back to the API server, which waits only for finalizers now. */
  readonly released: boolean;
}
