// Entry point of a worker. A worker for suspect jobs lowers its priority before it loads, compiles or validates anything.
import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';

const { niceness } = workerData as { readonly niceness: number };
// On Linux this applies to the calling thread; elsewhere it would slow the whole process down.
if (niceness !== 0 && process.platform === 'linux') setPriority(niceness);
await import('./worker.ts');
