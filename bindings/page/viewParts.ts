// What a <moonscape-view> is made of on its inside: the canvas, and over it the poster, the bar of what is loading, and a message. Pages
// style them as parts. No inline style, so that a strict Content-Security-Policy holds.

const STYLE = `
:host {
  display: block;
  position: relative;
  overflow: hidden;
  width: 100%;
  /* Where its container has no height of its own. */
  aspect-ratio: 16 / 9;
  contain: content;
  background: #1c2126;
  color: #eef1f4;
  -webkit-tap-highlight-color: transparent;
}
:host([hidden]) { display: none; }
:host(:focus) { outline: none; }
:host(:focus-visible)::after {
  content: '';
  position: absolute;
  inset: 0;
  pointer-events: none;
  box-shadow: inset 0 0 0 2px #fff, inset 0 0 0 4px #1668c7;
}
:host(:state(captures)) { touch-action: none; user-select: none; -webkit-user-select: none; }
canvas { position: absolute; inset: 0; display: block; width: 100%; height: 100%; }
img {
  position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; pointer-events: none;
  transition: opacity 0.25s;
}
img[hidden] { display: block; opacity: 0; visibility: hidden; transition: opacity 0.25s, visibility 0.25s; }
img:not([src]) { display: none; }
progress {
  position: absolute; inset: auto 0 0 0; width: 100%; height: 3px; border: 0; pointer-events: none;
  appearance: none; -webkit-appearance: none; background: transparent; color: #7fb2e8;
  animation: come 0.01s 0.4s backwards;
}
progress::-webkit-progress-bar { background: transparent; }
progress::-webkit-progress-value { background: currentColor; }
progress::-moz-progress-bar { background: currentColor; }
progress[hidden], p[hidden] { display: none; }
p {
  position: absolute; inset: 0; margin: 0; padding: 1.25rem; display: grid; place-content: safe center;
  overflow: auto; overflow-wrap: anywhere; white-space: pre-wrap; user-select: text; -webkit-user-select: text;
  font: 0.9375rem/1.5 system-ui, sans-serif; background: rgb(20 24 28 / 0.82);
}
@keyframes come { from { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { img, img[hidden] { transition: none; } }
`;

let sheet: CSSStyleSheet | null = null;

/** The inside of one view. */
export class ViewParts {
  readonly canvas = make('canvas', 'canvas');
  readonly #poster = make('img', 'poster');
  readonly #progress = make('progress', 'progress');
  readonly #message = make('p', 'message');

  constructor(root: ShadowRoot) {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLE);
    }
    root.adoptedStyleSheets = [sheet];
    this.#poster.alt = '';
    this.#progress.hidden = this.#message.hidden = true;
    this.#progress.ariaLabel = 'loading';
    this.#message.setAttribute('role', 'alert');
    root.append(this.canvas, this.#poster, this.#progress, this.#message);
  }

  /** Address of the picture that stands until there is one of the scene; null for none. */
  set poster(address: string | null) {
    if (address === null) this.#poster.removeAttribute('src');
    else this.#poster.src = address;
  }

  /** Whether the scene's own picture is to be seen. */
  set shown(shown: boolean) {
    this.#poster.hidden = shown;
  }

  /** How far the loading is, 0..1, or that it goes on and nobody knows how far (`true`); null: nothing loads. */
  set progress(share: number | true | null) {
    this.#progress.hidden = share === null;
    if (share === true) this.#progress.removeAttribute('value');
    else if (share !== null) this.#progress.value = share;
  }

  /** What went wrong, in plain words; null: nothing. */
  set message(text: string | null) {
    this.#message.hidden = text === null;
    this.#message.textContent = text ?? '';
  }
}

function make<K extends keyof HTMLElementTagNameMap>(tag: K, part: string): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.setAttribute('part', part);
  return element;
}
