// Crashes in lives of resources that are observed. The whole service dies at each write: support/faults/crash-matrix.ts.
import { crashMatrix } from '../../support/faults/crash-matrix.ts';
import { observedWorkloads } from '../../support/faults/observed-workloads.ts';

crashMatrix(observedWorkloads);
