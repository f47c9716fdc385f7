// The file for a plain <script>: everything of `moonscape`, and <moonscape-view>.
export * from './moonscape.js';
export * from './element.js';
