// The errors of the API: the code, the status with which it is answered, what it means to a caller and what the caller does about
// it. Pure. docs/errors.md, the answers and the OpenAPI document are made from it.

interface ErrorDescription {
  readonly status: number;
  readonly meaning: string;
  /** The remedy, for the reader. */
  readonly action: string;
}

export const errors = {
  invalid: {
    status: 422,
    meaning:
      'The request violates rules of the interface or of the schema of the type. `detail` is a list with a place (`loc`), a message (`msg`) and a rule (`type`) for each violation; the body has no `code`.',
    action: 'Correct the fields that `loc` names, and send the request again.',
  },
  bad_archive: {
    status: 400,
    meaning: 'The archive cannot be unpacked, or has an entry that no provider package may have.',
    action: 'Correct the archive as the message says, and push it again.',
  },
  unauthenticated: {
    status: 401,
    meaning:
      'The request has no bearer token, or a token that is not valid for any trusted issuer. The answer does not give the cause; `WWW-Authenticate` shows whether a token was sent.',
    action:
      'Get a new token. When a new token is refused too, compare its issuer, audience, type and lifetime with the settings of the issuer.',
  },
  forbidden: {
    status: 403,
    meaning:
      'The token is valid, but does not permit the request: the organization is suspended, it is not allowed for the issuer, or a project claim is missing. In pods: the token is for another artifact.',
    action: 'Read the message, and ask the administrator of the installation.',
  },
  no_organization: {
    status: 403,
    meaning: 'The token has no organization claim.',
    action: 'Have the issuer put it into the token, or correct `organizationClaim` of the issuer.',
  },
  organization_unknown: {
    status: 403,
    meaning: 'The Organization does not exist, and tokens create none in this installation.',
    action: 'Ask an administrator to create the Organization that the message names.',
  },
  insufficient_role: {
    status: 403,
    meaning: 'The token grants no role, or a role that is too low for the operation.',
    action: 'Use a token with the role that the message names.',
  },
  outside_project: {
    status: 403,
    meaning: 'The token is confined to one project, and the operation is outside of it.',
    action: 'Stay in the project of the token, or use a token that is not confined.',
  },
  limit_reached: {
    status: 403,
    meaning: 'The organization has reached a limit, or the issuer its limit of organizations.',
    action: 'Delete what is not needed, or ask an administrator to raise the limit.',
  },
  project_managed_by_platform: {
    status: 403,
    meaning: 'Fairlead manages the project, such as the default project. Users cannot change it.',
    action: 'Create another project.',
  },
  not_found: {
    status: 404,
    meaning: 'The path does not exist, or an artifact does not exist for this token.',
    action: 'Correct the path. `/docs` describes the interface.',
  },
  resource_not_found: {
    status: 404,
    meaning:
      'It does not exist, is being deleted, or is in a project that the token cannot access.',
    action: 'Check the identifier, the organization and the project of the token.',
  },
  object_not_found: {
    status: 404,
    meaning: 'The provider has no object for `adopt` that the token may see. Nothing was stored.',
    action:
      'Correct `adopt`, or the settings of the provider. `GET /resources/types/{provider}/{resource}/existing` lists the objects of some types.',
  },
  project_not_found: {
    status: 404,
    meaning: 'The project does not exist in the organization.',
    action: 'Create the project, or correct its id.',
  },
  project_exists: {
    status: 409,
    meaning: 'A project with this id exists already, with another name.',
    action: 'Choose another id, or use the existing project.',
  },
  project_in_use: {
    status: 409,
    meaning: 'The project still holds resources. Resources that are being deleted count.',
    action: 'Delete the resources that the message names, and wait until they are gone.',
  },
  build_not_found: {
    status: 404,
    meaning: 'The build does not exist for this provider, or the provider has no successful build.',
    action: 'List the builds of the provider, or push its code.',
  },
  not_deployed: {
    status: 404,
    meaning:
      'Fairlead runs no version of the provider, or a rollback finds no other version that served. `hosted` in `context` is false for a provider that runs elsewhere.',
    action: 'Deploy a version first.',
  },
  no_previous_container: {
    status: 404,
    meaning:
      'The log before the last end of a process is requested with `previous=true`, and in no pod of the provider has one ended, as far as the last 10,000 lines of its log show. Pods that were replaced, such as by a deploy, have no log any more.',
    action: 'Read the log without `previous`. The dead letter of an event has its error.',
  },
  dead_letter_not_found: {
    status: 404,
    meaning: 'The dead letter does not exist. It was retried or deleted, or its event succeeded.',
    action: 'List the dead letters again.',
  },
  receipt_not_found: {
    status: 404,
    meaning:
      'The orphan receipt does not exist. It was deleted, by a request or to make room for a dead letter.',
    action: 'List the orphan receipts again.',
  },
  registry_not_found: {
    status: 404,
    meaning: 'The organization has no private registry for this scope.',
    action: 'List the registries.',
  },
  dead_letter_superseded: {
    status: 409,
    meaning:
      'The dead letter is superseded: its resource was applied again or deleted, or the event succeeded.',
    action: 'No retry is needed. Delete the dead letter.',
  },
  build_not_successful: {
    status: 400,
    meaning:
      'The build failed or still runs, or a schema of its types is invalid. It cannot be deployed.',
    action: 'Wait for the end of the build, or correct the code and push it again.',
  },
  provider_in_use: {
    status: 409,
    meaning: 'The provider still has resources.',
    action: 'Delete the resources first, or delete the provider with `?cascade=true`.',
  },
  provider_deleting: {
    status: 409,
    meaning: 'The provider is being deleted. It accepts no new resource, type, build or version.',
    action: 'Try again after the provider is gone.',
  },
  schemas_break: {
    status: 409,
    meaning:
      'Resources that exist do not fit the schemas of the version or the type, or refer to outputs that it lacks, and the deployment or registration is strict. Nothing was changed.',
    action: 'Change the resources or the schemas, or repeat the request without `strict`.',
  },
  type_in_use: {
    status: 409,
    meaning:
      'The version lacks a type that has resources. `context` names up to 20 of them, and their number. Nothing was changed.',
    action:
      'Delete the resources first, deploy a version that has the type, or send `retire_types: true`: then the resources stay readable, and their deletion waits for a version that has the type.',
  },
  type_retired: {
    status: 422,
    meaning:
      'The version of the provider that serves lacks the type of the resource. `context` has the version and the time at which it took over.',
    action: 'Deploy a version of the provider that has the type.',
  },
  migration_failed: {
    status: 422,
    meaning:
      'The provider cannot bring the config into the newest version of its type. `detail` has its sentence, which names the step and the field.',
    action: 'Correct the config, or push a version of the provider with another migration.',
  },
  settings_refused: {
    status: 422,
    meaning:
      'The version of the provider that serves does not work with the values. `detail` has its sentence. Nothing was changed.',
    action: 'Correct the values, and send them again.',
  },
  unknown_type: {
    status: 422,
    meaning:
      'The config refers to, or the resource depends on, a resource of a type that no provider has. `detail` names the place and the nearest type that exists.',
    action: 'Correct the name, or deploy a provider with the type first.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not with this method. `Allow` lists the methods.',
    action: 'Use one of the listed methods.',
  },
  resource_busy: {
    status: 409,
    meaning: 'An event of the resource is pending or in flight, and the new content differs.',
    action: 'Wait until the resource is ready or failed, or delete it.',
  },
  resource_deleting: {
    status: 409,
    meaning: 'The resource is being deleted.',
    action: 'Wait until it is gone, and apply it again. If it is paused, resume it first.',
  },
  resource_committed: {
    status: 409,
    meaning:
      'A resource that is ready or failed cannot become a draft again, and one that has succeeded cannot take over another object with `adopt`.',
    action: 'Apply it without `draft` or `adopt`, or delete the resource first.',
  },
  object_taken: {
    status: 409,
    meaning: 'Another resource stands for the object.',
    action: 'Use that resource, or delete it first; with `orphan=true`, the object stays.',
  },
  resource_in_use: {
    status: 409,
    meaning: 'Other resources use the outputs of the resource or depend on it.',
    action:
      'Delete those resources first, or delete the resource with `force=true`. To replace it, send its users in the same batch or set.',
  },
  resource_protected: {
    status: 409,
    meaning:
      'The resource is protected: it is neither deleted nor replaced. `context` names it; of a provider that is deleted with its resources, up to 20 of them and their number.',
    action: 'Apply the resource with `protected: false` first, if it may go.',
  },
  deletion_failed: {
    status: 409,
    meaning:
      'The deletion of the resource has failed for good while the request waited for its end (`Prefer: wait`). The resource is in deletion, with a dead letter.',
    action:
      'Repair the cause, and repeat the request; or remove the resource with `force=true`, and clean up what the orphan receipt records.',
  },
  not_observable: {
    status: 409,
    meaning:
      'There is nothing to observe: the provider does not observe objects of the type, or the resource is a draft or has never succeeded.',
    action:
      'Read the message. A provider observes the types for which its code has the handler `observe`.',
  },
  not_listable: {
    status: 409,
    meaning: 'The provider does not list the objects of the type that exist.',
    action: 'Import an object by what identifies it, or deploy a provider with the handler `list`.',
  },
  identity_taken: {
    status: 409,
    meaning: 'Another resource has the same identifier in a different spelling.',
    action: 'Choose another name.',
  },
  project_immutable: {
    status: 409,
    meaning: 'The resource belongs to another project. A resource cannot change its project.',
    action: 'Delete the resource, and apply it again in the other project.',
  },
  conflict: {
    status: 409,
    meaning:
      'Another client changes the same object at the same time, or the request contradicts an existing object, such as a deployment of a provider with an endpoint.',
    action: 'Read the object again and repeat the request, unless the message names another cause.',
  },
  set_not_found: {
    status: 404,
    meaning: 'No resource of the project is a member of the set, and nobody has applied it.',
    action: 'Check its name and its project: `GET /sets/` lists the sets.',
  },
  set_busy: {
    status: 409,
    meaning: 'Another request writes the set at the same time, or has ended halfway a moment ago.',
    action:
      'Send the request again after the seconds in `Retry-After`. After a crash of that other request, it takes half a minute until the next one goes on.',
  },
  owned_by_set: {
    status: 409,
    meaning: 'The resource is a member of another set.',
    action: 'Name the resource in `take` to move it, or leave it out.',
  },
  plan_required: {
    status: 409,
    meaning:
      'The request needs an approved plan: it would remove many members of a set, or prune it less carefully than before, or its project requires plans. Nothing was changed.',
    action:
      'Send the request with `dry_run=true`, look at its plan, and send its digest as `plan`.',
  },
  set_incomplete: {
    status: 409,
    meaning:
      'Some of the resources were written and some were not: `context.resources` has the outcome of each. Nothing was rolled back.',
    action:
      'Send the same request again: it finishes what is left, and what is done costs nothing.',
  },
  precondition_failed: {
    status: 412,
    meaning:
      'The resource is not in the version that `If-Match` names, or it does not exist. Nothing was changed.',
    action: 'Read the resource again, and repeat the request with its new ETag.',
  },
  plan_stale: {
    status: 412,
    meaning:
      'Something that the plan depends on has changed since it was made: `context.changed` names the resources. Nothing was changed.',
    action: 'Make the plan again, and approve the new one.',
  },
  too_large: {
    status: 413,
    meaning:
      'The body, the upload, the config or the schema exceeds its limit, or the object would be too large for etcd, or the body is sent in too many small chunks.',
    action: 'Send less, or larger chunks.',
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'The Content-Type or the Content-Encoding of the request is not supported.',
    action: 'Send `application/json`; send uploads as `multipart/form-data`.',
  },
  too_many_requests: {
    status: 429,
    meaning:
      'The organization exceeds its rate of requests or pushes, has too many bytes in flight, or its issuer adds too many new organizations.',
    action: 'Wait for the seconds in `Retry-After`.',
  },
  unavailable: {
    status: 503,
    meaning:
      'Fairlead cannot answer now: the Kubernetes API server or the token issuer does not answer, the organization is being set up, or a config cannot be checked in time.',
    action:
      'Repeat the request after the seconds in `Retry-After`. When it persists, look at `/readyz` and the log.',
  },
  // Before a request is read, and so without a request id.
  bad_request: {
    status: 400,
    meaning: 'The request is not valid HTTP, or has an `Expect` header (417).',
    action: 'Correct the client, or the proxy before Fairlead.',
  },
  headers_too_large: {
    status: 431,
    meaning: 'The headers of the request are too large or too many.',
    action: 'Send fewer or shorter headers, for example a smaller token.',
  },
  request_timeout: {
    status: 408,
    meaning: 'The head or the body of the request did not arrive in time.',
    action: 'Send the request again over a faster connection.',
  },
  misdirected_request: {
    status: 421,
    meaning: 'The `Host` header does not match the local Fairlead, which serves this machine only.',
    action: 'Use one of the names in the message.',
  },
  cross_origin: {
    status: 403,
    meaning: 'A page of another origin sent the request to the local Fairlead.',
    action: 'Send it from a program, or from the console of Fairlead.',
  },
} as const satisfies Readonly<Record<string, ErrorDescription>>;

export type ErrorCode = keyof typeof errors;
