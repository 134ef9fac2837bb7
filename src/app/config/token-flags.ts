// The flags of `fairlead-server token`, as parseArgs takes them.
export const tokenFlags = {
  org: { type: 'string' },
  role: { type: 'string', default: 'admin' },
  project: { type: 'string', default: '' },
  expires: { type: 'string', default: '1h' },
} as const;
