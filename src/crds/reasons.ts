// The reasons of conditions: which kinds carry each, what it means and what to do. docs/errors.md and docs/custom-resources are made
// from it.
import { type ReasonDescription, resourceReasons, stays, wait, waits } from './resource-reasons.ts';

export type { ReasonDescription } from './resource-reasons.ts';

const repeated = ['Ready', 'Stalled'] as const;
const providerFails = { Provider: repeated } as const;
const everywhere = { Organization: repeated, ...stays, ...providerFails, Build: repeated } as const;

export const reasons = {
  ...resourceReasons,
  NoOrganization: {
    carriedBy: { ...waits, ...providerFails },
    meaning: 'The namespace of the object does not belong to an organization.',
    action: 'Create the object in the namespace of an organization.',
  },
  InvalidName: {
    carriedBy: { ...stays, Organization: ['Ready', 'Stalled'] },
    meaning: '`metadata.name` is not the name that Fairlead computes from the spec.',
    action: 'Delete the object, and create it with the name in the message.',
  },
  Provisioned: {
    carriedBy: { Organization: ['Ready'] },
    meaning: 'The namespace of the organization, its guards and its default project exist.',
    action: wait,
  },
  NamespaceTaken: {
    carriedBy: { Organization: ['Ready', 'Stalled'] },
    meaning: 'A namespace of this name exists and was not created for the organization.',
    action:
      'Delete the namespace, or let the organization adopt it with the command in the message.',
  },
  GuardsMissing: {
    carriedBy: {
      Organization: ['Ready', 'Stalled'],
      Provider: ['Ready'],
      Build: ['Ready', 'Reconciling'],
    },
    meaning:
      'Quotas, network policies or rights of the namespace are missing. No new pod of the tenant starts.',
    action: 'Read the message, which names the guard or quotes the error of the API server.',
  },
  QuotaExceeded: {
    carriedBy: {
      Organization: ['Ready', 'Stalled'],
      Resource: ['Ready', 'Reconciling', 'Stalled'],
      Provider: ['Ready', 'Stalled'],
      Build: ['Ready', 'Reconciling', 'Stalled'],
    },
    meaning:
      'A quota of the organization is exhausted: a pod or an object cannot be created, or a resource is not sent.',
    action: 'Delete what is not needed, or raise the limit in `spec.limits` of the Organization.',
  },
  NamespaceTerminating: {
    carriedBy: everywhere,
    meaning: 'The namespace is being deleted. No object can be created in it.',
    action: 'Wait until the namespace is gone.',
  },
  Forbidden: {
    carriedBy: everywhere,
    meaning: 'The API server denies a write that Fairlead needs.',
    action: 'Give the controller the missing right, or correct the admission policy.',
  },
  Invalid: {
    carriedBy: everywhere,
    meaning: 'The API server rejects a write that Fairlead needs as invalid or too large.',
    action: 'Read the log of the controller.',
  },
  ReconcileFailed: {
    carriedBy: everywhere,
    meaning: 'Reconciling failed five times in a row in the same way.',
    action: 'Read the log of the controller.',
  },
  Suspended: {
    carriedBy: {
      Organization: ['Suspended'],
      ...waits,
      Provider: ['Ready'],
      Build: ['Ready', 'Reconciling'],
    },
    meaning: 'The organization is suspended. No event is sent, and no build or deployment starts.',
    action: 'Set `spec.suspended` of the Organization to false.',
  },
  Resumed: {
    carriedBy: {},
    meaning:
      'The organization is no longer suspended. Only an Event of the Organization has this reason.',
    action: wait,
  },
  ForeignGuards: {
    carriedBy: { Organization: ['ForeignGuards'] },
    meaning:
      'The namespace has a RoleBinding or NetworkPolicy that Fairlead did not create. It may grant more access than Fairlead allows.',
    action: 'Delete the objects that the message names, or keep them if they are intended.',
  },
  ProcessEnded: {
    carriedBy: {},
    meaning:
      'An event ended the process in which its handler ran. The provider serves the others. Only an Event of the Provider has this reason.',
    action: 'Read the message. `fairlead dead-letters` has the event once it has failed for good.',
  },
  ProcessRestarted: {
    carriedBy: {},
    meaning:
      'A process in a pod of the provider ended, and no event is known to blame: a timer that `start` set or a kill from outside ended it, or one of several events in it, which all run again. Another process of the pod runs. Only an Event of the Provider has this reason.',
    action:
      'If it comes again, read the end of the process with `fairlead logs PROVIDER --previous`.',
  },
  ExternalEndpoint: {
    carriedBy: { Provider: ['Ready'] },
    meaning: 'The provider runs elsewhere. Events go to its endpoint.',
    action: wait,
  },
  InvalidEndpoint: {
    carriedBy: providerFails,
    meaning:
      'The endpoint is not a URL that events may be sent to, or its caBundle cannot be read.',
    action: 'Correct `spec.endpoint` or `spec.caBundle` of the Provider.',
  },
  Unreachable: {
    carriedBy: providerFails,
    meaning: 'Several deliveries in a row got no answer from the endpoint.',
    action: 'Check that the provider runs, and check the network between the two.',
  },
  NotDeployed: {
    carriedBy: { Provider: ['Ready'] },
    meaning: 'The Provider has neither an endpoint nor a version.',
    action: 'Deploy a version, or set an endpoint.',
  },
  Building: {
    carriedBy: { Build: ['Ready', 'Reconciling'] },
    meaning: 'The Job of the build runs.',
    action: wait,
  },
  Built: {
    carriedBy: { Build: ['Ready'] },
    meaning: 'The build succeeded, or took over the result of the same code.',
    action: wait,
  },
  BuildFailed: {
    carriedBy: { Build: ['Ready', 'Stalled'] },
    meaning: 'The build failed.',
    action: 'Read `status.error` and the log of the build, and push corrected code.',
  },
  BuildMissing: {
    carriedBy: providerFails,
    meaning:
      'The version of the Provider has no successful build. The running version keeps running.',
    action: 'Deploy a version that has a successful build.',
  },
  SettingsMissing: {
    carriedBy: providerFails,
    meaning:
      'The version of the Provider requires settings that are not set. The running version keeps running.',
    action: 'Set the settings that the message names. The deployment then continues by itself.',
  },
  Progressing: {
    carriedBy: { Provider: ['Ready', 'Reconciling'] },
    meaning: 'The pods of the version are starting.',
    action: wait,
  },
  Available: {
    carriedBy: { Provider: ['Ready'] },
    meaning: 'The version of the Provider serves events.',
    action: wait,
  },
  DeploymentFailed: {
    carriedBy: providerFails,
    meaning: 'The pods of the version crash, cannot start, or did not become ready in time.',
    action: 'Read the message and the log of the pods. Deploy another version, or roll back.',
  },
  CorrectionsHeld: {
    carriedBy: { Provider: ['CorrectionsHeld'] },
    meaning:
      'Within one interval, more than ten and more than a fifth of the observed resources of the provider turned out to differ or to be gone. A wrong region or credential looks like this, so nothing is corrected.',
    action:
      'Check the settings of the provider and where it looks. If the objects really are gone: `fairlead provider release-corrections`.',
  },
  ClockSkew: {
    carriedBy: { Provider: ['ClockSkew'] },
    meaning:
      'The clocks of the provider and of Fairlead differ by more than 30 seconds, so that it accepts no event. Attempts of the first ten minutes are not counted.',
    action:
      'Synchronize the clocks of the machines of the provider and of the controller. The message has the difference and both times.',
  },
} as const satisfies Readonly<Record<string, ReasonDescription>>;
