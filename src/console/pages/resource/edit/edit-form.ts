// The typed text of an edit, as YAML or JSON. Pure.
import type { ResourceTuple } from '../../../../api/shapes.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { yamlText } from '../../../components/text/yaml.ts';
import type { Version } from '../version.ts';

export interface Edit {
  /** The version that was opened; another one is not overwritten. */
  readonly base: Version;
  readonly config: string;
  /** One on each line: a tag may contain commas. */
  readonly tags: string;
  readonly state: 'draft' | 'pending';
  /** The revision that it returns to. */
  readonly revision?: number;
  /** Undefined leaves them as they are. */
  readonly dependencies?: readonly ResourceTuple[];
  /** Secrets that no revision keeps, so that they have to be typed: JSON Pointers. */
  readonly missing?: readonly string[];
}

export function editOf(base: Version): Edit {
  const { config, tags, lifecycle_state } = base.record;
  return {
    base,
    config: configText(config),
    tags: (tags ?? []).join('\n'),
    state: lifecycle_state === 'draft' ? 'draft' : 'pending',
  };
}

export function configText(config: JsonObject): string {
  return yamlText(config);
}

/** @returns whether something would be lost without it */
export function isTyped(edit: Edit): boolean {
  const { config, tags, state } = editOf(edit.base);
  const isReturn = edit.revision !== undefined;
  return isReturn || edit.config !== config || edit.tags !== tags || edit.state !== state;
}
