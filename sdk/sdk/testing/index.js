// The public API of `fairlead/provider/testing`: checks the required behaviour of a provider without a cluster or network. Broken
// rules are thrown as errors, so any test runner works.
export { checkType, testProvider } from './check.js';
