// Crashes while events fail. The whole service dies at each write: support/faults/crash-matrix.ts.
import { crashMatrix } from '../../support/faults/crash-matrix.ts';
import { failures } from '../../support/faults/workloads.ts';

crashMatrix(failures);
