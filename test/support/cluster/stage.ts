// Holds the state that steps of a run on a real cluster pass to later steps.
import type { Installation, Tenant } from './installation.ts';
import type { ClusterReport } from './report.ts';

export interface Stage {
  readonly at: Installation;
  readonly report: ClusterReport;
  /** Two organizations; set by the step that creates them. */
  readonly north: Tenant;
  readonly south: Tenant;
}
