// Gives the settings of a provider to its pods: as files, because the environment of a process is inherited by others and
// printed in crashes. Pure.

export interface PodSettings {
  readonly secretName: string;
  /** Names of the declared settings: other keys of the Secret are not for the pod. */
  readonly names: readonly string[];
  /** Changes with every write of the settings; undefined before the first. */
  readonly revision: string | undefined;
  /** Something else than Fairlead writes the Secret: no new revision shows a change, so the runtime polls it. */
  readonly isForeign: boolean;
}

/** On the pods: a new revision replaces them. */
const revisionAnnotation = 'fairlead.dev/settings-revision';

const settingsFolder = '/run/fairlead/settings';
const name = 'settings';

/** @returns the parts of the pod and of its container; empty ones for a provider without settings */
export function settingsParts(settings: PodSettings | undefined) {
  if (settings === undefined) return { annotations: {}, volumes: [], mounts: [], args: [] };
  const { secretName, names, revision, isForeign } = settings;
  const items = names.map((key) => ({ key, path: key }));
  // Optional: the runtime reports what is missing, and a kubelet only waits.
  const secret = { secretName, optional: true, defaultMode: 0o440, items };
  return {
    annotations: revision === undefined ? {} : { [revisionAnnotation]: revision },
    volumes: [{ name, secret }],
    mounts: [{ name, mountPath: settingsFolder, readOnly: true }],
    args: ['--settings', settingsFolder, ...(isForeign ? ['--watch-settings'] : [])],
  };
}
