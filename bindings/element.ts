// The entry point `moonscape/element`: importing it makes <moonscape-view> known to the page, once.
import { MoonscapeView } from './page/view.js';

if (typeof customElements !== 'undefined' && !customElements.get('moonscape-view'))
  customElements.define('moonscape-view', MoonscapeView);

export { MoonscapeView, type ViewEvents, type ViewRunOptions } from './page/view.js';

declare global {
  interface HTMLElementTagNameMap {
    'moonscape-view': MoonscapeView;
  }
}
