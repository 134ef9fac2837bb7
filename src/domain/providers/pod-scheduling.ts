// Fields of pod specs that an administrator sets for all pods of builds and providers.

export interface PodScheduling {
  readonly runtimeClassName?: string | undefined;
  readonly priorityClassName?: string | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly object[] | undefined;
}
