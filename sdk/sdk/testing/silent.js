export const silent = { debug() { }, info() { }, warn() { }, error() { } };
