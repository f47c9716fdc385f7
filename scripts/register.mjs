// `node --import ./scripts/register.mjs FILE.ts` runs our TypeScript sources in Node, text modules included.
import { register as registerHooks } from 'node:module';
import { register as registerTypeScript } from 'tsx/esm/api';

registerTypeScript();
registerHooks('./textLoader.mjs', import.meta.url);
