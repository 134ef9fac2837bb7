// The package as Fairlead runs it. Which PostgreSQL it uses is in its settings.
export { postgres as default } from './provider.ts';
