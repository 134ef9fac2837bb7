/** The release that no longer reads former names of settings, and no longer has former names of metrics. */
export const formerNamesEnd = '0.3.0';
