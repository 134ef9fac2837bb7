// The project of a record, as people read and write it.

interface InProject {
  readonly project_id: string;
  readonly project_name?: string | undefined;
}

/** @returns the name of the project; its id in a record without the name */
export function projectText({ project_id, project_name }: InProject): string {
  return project_name ?? project_id;
}

/** Returns whether a text names the project of a record: by its id, or by its name. */
export function isProjectOf({ project_id, project_name }: InProject, text: string): boolean {
  return text === project_id || text === project_name;
}
