// What the playground's build puts into it (scripts/playground.ts).
declare module 'playground:data' {
  export const api: import('../playground/luaCats.js').LuaApi;
  export const examples: import('../scripts/playgroundFiles.js').Example[];
}
