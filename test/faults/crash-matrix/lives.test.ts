// Crashes in lives of resources that end well. The whole service dies at each write: support/faults/crash-matrix.ts.
import { crashMatrix } from '../../support/faults/crash-matrix.ts';
import { lives } from '../../support/faults/workloads.ts';

crashMatrix(lives);
