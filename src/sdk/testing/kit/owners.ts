// The resources of a kit by the identities of their objects: one object has one resource, as with Fairlead.
import { identityAt } from '../../../domain/objects/identity.ts';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import type { ResourceType } from '../../provider.ts';
import type { Refused } from './kit-resource.ts';

export interface KitOwners {
  /** @returns the name of the resource that has the object; undefined without one */
  having(type: ResourceType, adopt: JsonObject): string | undefined;
  /** @returns the refusal of an import of an object that another resource has */
  refusedImport(type: ResourceType, name: string, adopt: JsonObject): Refused | undefined;
  /** @returns the refusal of outputs that name the object of another resource, which otherwise is that of this one from now on */
  take(type: ResourceType, name: string, outputs: JsonObject): Refused | undefined;
  /** The object is gone. */
  free(type: ResourceType, name: string): void;
}

export function createOwners(): KitOwners {
  const owners = new Map<string, string>();

  function ownerOf(type: ResourceType, identity: JsonObject | undefined): string | undefined {
    return identity && owners.get(keyFor(type, identity));
  }

  function free({ name: type }: ResourceType, name: string): void {
    for (const [key, owner] of owners) {
      if (owner === name && key.startsWith(`${type}/`)) owners.delete(key);
    }
  }

  function having(type: ResourceType, adopt: JsonObject): string | undefined {
    const { pointers } = type.identity ?? {};
    return ownerOf(type, pointers && identityAt(pointers.adopt, adopt));
  }

  return {
    having,
    refusedImport(type, name, adopt) {
      const owner = having(type, adopt);
      if (owner === undefined || owner === name) return undefined;
      return refusal('OBJECT_TAKEN', `Resource ${owner} stands for the object`);
    },
    take(type, name, outputs) {
      const { pointers } = type.identity ?? {};
      const identity = pointers && identityAt(pointers.outputs, outputs);
      if (identity === undefined) return undefined;
      const owner = ownerOf(type, identity);
      if (owner !== undefined && owner !== name) {
        const message = `The outputs name an object for which resource ${owner} stands`;
        return refusal('ALREADY_EXISTS', message);
      }
      free(type, name);
      owners.set(keyFor(type, identity), name);
      return undefined;
    },
    free,
  };
}

function refusal(code: string, message: string): Refused {
  return { state: 'failed', code, message };
}

function keyFor({ name }: ResourceType, identity: JsonObject): string {
  return `${name}/${canonicalJson(identity)}`;
}
