// What authors import as `fairlead/provider/testing`: does a provider keep its promises? No cluster, no network; in any
// test runner, because what is broken is thrown.
export { checkType, testProvider } from './check.js';
