// Expands `$(NAME)` in commands and values as Kubernetes does: `$$` is a `$`, and unknown names stay as they are. Pure.

export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    return Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole;
  });
}
