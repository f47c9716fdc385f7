// The entry point `moonscape/element`: importing it makes <moonscape-view> known to the page, once.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference -- the declarations name Fengari's types, which go with them
/// <reference path="../types/fengari.d.ts" preserve="true" />
import { MoonscapeView } from './page/view.js';

if (typeof customElements !== 'undefined' && !customElements.get('moonscape-view'))
  customElements.define('moonscape-view', MoonscapeView);

export { MoonscapeView, type ViewEvents, type ViewRunOptions } from './page/view.js';

declare global {
  interface HTMLElementTagNameMap {
    'moonscape-view': MoonscapeView;
  }
}
