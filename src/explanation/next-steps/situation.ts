// The situation that the rules of the next steps decide about.
import type { Resource } from '../../crds/resource.ts';
import type { Last } from '../cause.ts';
import type { Facts, NextStep } from '../facts.ts';

export interface Situation {
  /** The resource that waits for no other. */
  readonly resource: Resource;
  /** `provider/resource/name` of it. */
  readonly name: string;
  readonly last: Last;
  readonly facts: Facts;
}

export type Steps = (situation: Situation) => readonly NextStep[];
