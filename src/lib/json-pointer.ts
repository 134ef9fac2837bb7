/** @returns the JSON Pointer (RFC 6901) of a member */
export function pointer(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
