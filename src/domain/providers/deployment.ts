// States of the deployment of a provider.

export const deploymentStates = ['pending', 'progressing', 'available', 'failed'] as const;
export type DeploymentState = (typeof deploymentStates)[number];
