// What a worker runs first: it steps back behind everything else before it loads, compiles or judges anything, so that what
// is hostile takes computing time from nobody who needs it.
import { setPriority } from 'node:os';

/** A tenth of what a thread of usual priority gets beside it: honest work still ends when the machine is full. */
const niceness = 10;

// On Linux this is about the calling thread; elsewhere it would slow the whole process down.
if (process.platform === 'linux') setPriority(niceness);
await import('./worker.ts');
