// The parts of the benchmark programme, in the order in which they run and appear on the page.
import type { Part } from '../report/figures.ts';
import { batches } from './batches.ts';
import { calibration } from './calibration.ts';
import { crashes } from './crashes.ts';
import { deliveries } from './deliveries.ts';
import { idle } from './idle.ts';
import { letters } from './letters.ts';
import { lifecycle } from './lifecycle.ts';
import { memory } from './memory.ts';
import { neighbours } from './neighbours.ts';
import { observations } from './observations.ts';
import { comparedWithPeers } from './peers.ts';
import { reads } from './reads.ts';
import { relists } from './relists.ts';
import { scale } from './scale.ts';
import { shards } from './shards.ts';
import { soak } from './soak.ts';
import { startUp } from './start-up.ts';
import { streams } from './streams.ts';
import { validation, validationRules } from './validation.ts';
import { worstInputs } from './worst-inputs.ts';

export const parts: readonly Part[] = [
  lifecycle,
  comparedWithPeers,
  batches,
  deliveries,
  reads,
  letters,
  scale,
  idle,
  observations,
  memory,
  neighbours,
  crashes,
  worstInputs,
  shards,
  relists,
  streams,
  validation,
  validationRules,
  calibration,
  startUp,
  soak,
];
