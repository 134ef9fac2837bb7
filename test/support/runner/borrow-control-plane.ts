// Gives a file the shared control plane of its worker, before it is loaded.
import { borrowControlPlane } from '../servers/control-plane.ts';

await borrowControlPlane();
