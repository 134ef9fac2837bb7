// What a worker runs first: one for the suspect steps back behind everything else before it loads, compiles or judges anything.
import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';

const { niceness } = workerData as { readonly niceness: number };
// On Linux this is about the calling thread; elsewhere it would slow the whole process down.
if (niceness !== 0 && process.platform === 'linux') setPriority(niceness);
await import('./worker.ts');
