// Codes of failed builds, with what they mean, for docs/errors.md. A step writes the code and the message into its termination message.
import type { LoadFailureCode } from '../runtime/load-failure.ts';

export const buildFailureCodes = {
  unpack_failed: 'The pushed code could not be fetched or unpacked.',
  build_failed: 'The step that builds cannot be carried out.',
  publish_failed: 'The result of the build could not be packed or uploaded.',
  no_package: 'The archive has no `package.json`.',
  invalid_package: 'The `package.json` is no valid manifest.',
  no_entry: 'The file that `main` or `exports` names does not exist.',
  dependency_not_found: 'The code imports a package or a file that is not there.',
  import_failed: 'The code throws, or does not come to an end, when it is imported.',
  no_default_export: 'The code has no default export.',
  not_a_provider: 'The default export is no provider of the SDK.',
  other_provider: 'The code is a provider of another name than the one it was pushed to.',
  duplicate_type: 'The code declares a type twice.',
  dependency_conflict: 'Dependencies require versions that exclude one another.',
  lock_mismatch: 'The lock file does not fit `package.json`.',
  registry_unreachable: 'The registry of npm cannot be reached.',
  unsupported_engine: 'A dependency requires another version of Node.js.',
  needs_compiler: 'A dependency is compiled when it is installed, and builds have no compiler.',
  install_failed: 'The dependencies could not be installed.',
  type_error: 'The compiler of TypeScript found errors.',
  script_failed: 'A script of `package.json` failed.',
  invalid_schema: 'The schema of a type cannot be registered.',
  invalid_type: 'The declaration of a type is not valid.',
  ended_early: 'The code ended the process while its types were read.',
  out_of_memory: 'A step reached the memory limit of builds.',
  disk_full: 'A step reached the disk limit of builds, or the disk of the node is full.',
  timeout: 'A step took longer than its limit.',
  internal: 'A step has a defect; its log has the stack.',
} as const satisfies Readonly<Record<LoadFailureCode, string>> & Readonly<Record<string, string>>;
export type BuildFailureCode = keyof typeof buildFailureCodes;
