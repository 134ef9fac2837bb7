// A cluster with nodes, opened for a test.
export interface RealCluster {
  readonly kubeconfig: string;
  /** Removes what was started for the test. */
  close(): Promise<void>;
}
