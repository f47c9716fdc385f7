/** Text files are imported as strings: by the bundler in a build and by `scripts/textLoader.mjs` in Node. */
declare module '*.wgsl' {
  const source: string;
  export default source;
}
declare module '*.lua' {
  const source: string;
  export default source;
}
