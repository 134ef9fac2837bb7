// Runs a local node as a separate process: `node local-node-process.ts KUBECONFIG DATA_FOLDER`. It prints a line once it
// runs.
import { startTestNode } from './local-node.ts';

const [kubeconfig = '', dataFolder = ''] = process.argv.slice(2);
await startTestNode({ kubeconfig, dataFolder });
process.stdout.write('running\n');
