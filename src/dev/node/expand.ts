// Pure: `$(NAME)` in commands and values becomes the variable, as Kubernetes defines it: `$$` is a `$`, and what is not
// known stays as it is.

export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    return Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole;
  });
}
