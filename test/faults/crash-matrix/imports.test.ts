// Crashes while objects are imported. The whole service dies at each write: support/faults/crash-matrix.ts.
import { crashMatrix } from '../../support/faults/crash-matrix.ts';
import { importWorkloads } from '../../support/faults/observed-workloads.ts';

crashMatrix(importWorkloads);
