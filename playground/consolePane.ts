// What scripts print, warnings, reports and errors, one under the other; places in the script (`scene.lua:12`) can be clicked.

export type Kind = 'print' | 'warn' | 'error' | 'report' | 'note';

/** Lines kept: the oldest go. */
const MOST_LINES = 500;
const PLACE = /([\w./~-]+\.lua):(\d+)/g;

export interface ConsoleOptions {
  /** Whether a file can be gone to. */
  knows: (file: string) => boolean;
  goTo: (file: string, line: number) => void;
  /** An error came: for a mark on a hidden pane. */
  alarmed: () => void;
}

export class ConsolePane {
  /** The last line, and how often it came in a row. */
  #last: { element: HTMLElement; text: string; kind: Kind; count: number } | null = null;

  constructor(
    private readonly list: HTMLElement,
    private readonly options: ConsoleOptions,
  ) {}

  clear(): void {
    this.list.replaceChildren();
    this.#last = null;
  }

  write(kind: Kind, text: string): void {
    const { list } = this;
    if (kind === 'error') this.options.alarmed();
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 30;
    if (this.#last?.text === text && this.#last.kind === kind) {
      this.#last.count++;
      this.#last.element.dataset.count = String(this.#last.count);
    } else {
      const element = document.createElement('li');
      element.className = kind;
      element.append(...this.#linked(text));
      list.append(element);
      this.#last = { element, text, kind, count: 1 };
      if (list.childElementCount > MOST_LINES) list.firstElementChild!.remove();
    }
    if (atEnd) list.scrollTop = list.scrollHeight;
  }

  #linked(text: string): (string | Node)[] {
    const parts: (string | Node)[] = [];
    let end = 0;
    for (const match of text.matchAll(PLACE)) {
      const [place, file, line] = match;
      if (!this.options.knows(file)) continue;
      const button = document.createElement('button');
      button.className = 'place';
      button.textContent = place;
      button.addEventListener('click', () => this.options.goTo(file, Number(line)));
      parts.push(text.slice(end, match.index), button);
      end = match.index + place.length;
    }
    return [...parts, text.slice(end)];
  }
}
