// The playground's page: wires the editor, the view, the console and the buttons together.
import '../bindings/element.js';
import type { MoonscapeView } from '../bindings/element.js';
import { LuaError } from '../bindings/vm/index.js';
import { VIEWS, type ViewName } from '../runtime/renderer/viewPass.js';
import type { ControlStyle } from '../runtime/controls/cameraControls.js';
import { ConsolePane } from './consolePane.js';
import { api, examples } from 'playground:data';
import { DroppedFiles } from './droppedFiles.js';
import { Editor } from './editor.js';
import { linkOf, LONGEST_SCRIPT, scriptOf } from './share.js';
import { StatsOverlay } from './statsOverlay.js';

/** What a server of `npm run dev` says; a static host has the file of the build, which says nothing. */
interface Config {
  /** The scene to begin with, a file of the project. */
  scene?: string;
  /** Address that tells of changed files. */
  changes?: string;
}

const $ = <T extends HTMLElement>(selector: string): T => document.querySelector<T>(selector)!;
const view = $<MoonscapeView>('moonscape-view');
const project = new URL('project/', document.baseURI).href;
const dropped = new DroppedFiles();
view.options = { fetch: dropped.fetchFrom(project), storage: 'moonscape playground' };
view.assets = project;

/** The file that the script is, as messages call it. */
let file = 'scene.lua';
/** What the person chose to see in place of what the scene does. */
let chosenLook: ViewName | null = null;
/** Runs so far: what another run overtook tells nothing. */
let runs = 0;
const editor = new Editor({
  parent: $('#code'),
  api,
  run: () => void run(true),
  changed: () => editor.mark(null),
});
const lines = new ConsolePane($('#lines'), {
  knows: (name) => name === file,
  goTo: (_, line) => {
    showPane('code');
    editor.goTo(line);
  },
  alarmed: () => document.body.dataset.pane === 'output' || $('[data-tab=output]').classList.add('alarm'),
});
const overlay = new StatsOverlay($('#overlay'));

/** Runs the script as it stands. `keepCamera`: it is the same scene as before. */
async function run(keepCamera: boolean): Promise<void> {
  const mine = ++runs;
  lines.clear();
  editor.mark(null);
  $('[data-tab=output]').classList.remove('alarm');
  say('running …');
  const start = performance.now();
  try {
    await view.run({ source: editor.text, name: file }, { keepCamera });
    if (mine === runs) say(`ran in ${Math.round(performance.now() - start)} ms`);
  } catch {
    // It came as an event too, which writes it down.
    if (mine === runs) say('stopped by an error', true);
  }
  if (mine === runs) showChoices();
}

/** What the person chose to see stands over the scene's own choice, which the lists show otherwise. */
function showChoices(): void {
  if (!view.runtime) return;
  const { renderer, controls } = view.runtime.engine;
  if (chosenLook) look(chosenLook);
  $<HTMLSelectElement>('#look').value = renderer.view;
  if (controls.style !== 'none') $<HTMLSelectElement>('#controls').value = controls.style;
}

function fail(error: Error): void {
  // A script's fault is told beside it: the view keeps what was made until then.
  view.classList.toggle('quiet', error instanceof LuaError);
  lines.write('error', error.message);
  if (error instanceof LuaError && error.traceback) lines.write('note', error.traceback);
  const [, name, line] = /^([^:\n]+\.lua):(\d+):/.exec(error.message) ?? [];
  if (name === file)
    editor.mark({ line: Number(line), message: error.message.slice(name.length + line.length + 3) });
}

/** Something of the page, not of the script, went wrong. */
const complain = (error: unknown) => lines.write('error', (error as Error).message);

function say(text: string, wrong = false): void {
  const state = $('#state');
  state.textContent = text;
  state.className = wrong ? 'error' : '';
}

let toasting = 0;
function toast(text: string): void {
  const element = $('#toast');
  element.textContent = text;
  element.hidden = false;
  clearTimeout(toasting);
  toasting = window.setTimeout(() => (element.hidden = true), 3500);
}

/** Shows another view of the frames: wireframe, levels of detail, … */
function look(name: ViewName): void {
  const { runtime } = view;
  if (!runtime || runtime.engine.renderer.view === name) return;
  runtime.engine.renderer.setView(name);
  runtime.wake();
}

function showPane(pane: string): void {
  document.body.dataset.pane = pane;
  for (const tab of document.querySelectorAll<HTMLElement>('[role=tab]'))
    tab.ariaSelected = String(tab.dataset.tab === pane);
  if (pane === 'output') $('[data-tab=output]').classList.remove('alarm');
}

/** Puts a script in place of the one that stands, and runs it. */
async function open(name: string, script: string, keepCamera = false): Promise<void> {
  file = name;
  if (!keepCamera) chosenLook = null;
  editor.text = script;
  await run(keepCamera);
}

async function openFile(name: string, keepCamera = false): Promise<void> {
  const response = await fetch(project + name, { cache: 'no-store' });
  if (!response.ok) throw new Error(`${name} cannot be loaded: the server answered ${response.status}`);
  await open(name, await response.text(), keepCamera);
}

function listenToView(): void {
  const stop = (event: Event) => event.preventDefault();
  view.addEventListener('print', (event) => (stop(event), lines.write('print', event.detail)));
  view.addEventListener('warn', (event) => (stop(event), lines.write('warn', event.detail)));
  view.addEventListener('report', (event) => event.detail.forEach((line) => lines.write('report', line)));
  view.addEventListener('error', (event) => (stop(event), fail(event.detail)));
  view.addEventListener('frame', (event) => view.runtime && overlay.frame(view.runtime, event.detail.ms));
  view.addEventListener('lost', (event) => lines.write('warn', `the GPU's device was lost: ${event.detail}`));
  view.addEventListener('restored', () => lines.write('note', 'the scene is back on another device'));
  view.addEventListener('mode', (event) => {
    $('#play').ariaPressed = String(event.detail === 'play');
    say(event.detail === 'play' ? 'playing' : 'stopped');
  });
}

function listenToButtons(): void {
  const on = (id: string, name: string, work: (target: HTMLSelectElement) => unknown) => {
    const target = $<HTMLSelectElement>(id);
    target.addEventListener(name, () => void Promise.resolve(work(target)).catch(complain));
  };
  on('#run', 'click', () => run(true));
  on('#play', 'click', () => view.mode === 'edit' && view.play());
  on('#stop', 'click', async () => {
    if (view.mode === 'play') return view.stop();
    runs++;
    view.runtime?.clear();
    say('stopped');
  });
  on('#clear', 'click', () => lines.clear());
  on('#look', 'change', ({ value }) => look((chosenLook = value as ViewName)));
  on('#controls', 'change', ({ value }) => {
    view.controls = value as ControlStyle;
    view.focus();
  });
  on('#examples', 'change', ({ value }) => {
    history.replaceState(null, '', value ? `#example=${value}` : location.pathname);
    return openFile(value);
  });
  on('#stats', 'click', () => {
    overlay.shown = !overlay.shown;
    $('#stats').ariaPressed = String(overlay.shown);
    view.runtime?.wake();
  });
  on('#share', 'click', share);
  on('#theme', 'click', () => {
    const { dataset } = document.documentElement;
    const dark = dataset.theme
      ? dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches;
    dataset.theme = dark ? 'light' : 'dark';
    remember('theme', dataset.theme);
  });
  for (const tab of document.querySelectorAll<HTMLElement>('[role=tab]'))
    tab.addEventListener('click', () => showPane(tab.dataset.tab!));
}

async function share(): Promise<void> {
  if (editor.text.length > LONGEST_SCRIPT)
    return toast(`A link carries at most ${LONGEST_SCRIPT} characters`);
  const link = await linkOf(editor.text, location.href);
  history.replaceState(null, '', link);
  // Where the page may not write there, the address has it all the same.
  const copied = await navigator.clipboard.writeText(link).then(
    () => true,
    () => false,
  );
  toast(copied ? 'The link is copied' : 'The address now carries the script');
}

/** The bar between script and view: dragged, or moved by arrows. */
function listenToSplit(): void {
  const split = $('#split');
  const set = (share: number) => {
    const kept = Math.min(Math.max(share, 0.2), 0.8);
    document.documentElement.style.setProperty('--left', `${(kept * 100).toFixed(2)}%`);
    remember('split', String(kept));
  };
  const share = () => ($('#code').offsetWidth || 1) / innerWidth;
  split.addEventListener('pointerdown', (event) => {
    split.setPointerCapture(event.pointerId);
    const move = ({ clientX }: PointerEvent) => set(clientX / innerWidth);
    split.addEventListener('pointermove', move);
    split.addEventListener('lostpointercapture', () => split.removeEventListener('pointermove', move), {
      once: true,
    });
  });
  split.addEventListener('keydown', ({ key }) => {
    if (key === 'ArrowLeft') set(share() - 0.03);
    if (key === 'ArrowRight') set(share() + 0.03);
  });
  const kept = Number(recall('split'));
  if (kept) set(kept);
}

function listenToDrops(): void {
  const sign = $('#drop');
  let over = 0;
  addEventListener('dragenter', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    over++;
    sign.hidden = false;
  });
  addEventListener('dragleave', () => (sign.hidden = --over <= 0 || sign.hidden));
  addEventListener(
    'dragover',
    (event) => event.dataTransfer?.types.includes('Files') && event.preventDefault(),
  );
  addEventListener('drop', (event) => {
    const given = event.dataTransfer?.files[0];
    over = 0;
    sign.hidden = true;
    if (!given) return;
    event.preventDefault();
    void take(given).catch(complain);
  });
}

async function take(given: File): Promise<void> {
  const { name, script } = await dropped.take(given);
  $<HTMLSelectElement>('#examples').value = '';
  await open(name, script);
  if (!/\.lua$/i.test(given.name))
    lines.write('note', `${given.name} is here until the page is closed; a link does not carry it`);
}

/** Files that change on disk: the script takes the place of the one here, and the camera stays. */
function listenToChanges(address: string, scene: string | undefined): void {
  const source = new EventSource(address);
  source.addEventListener('file', ({ data }) => {
    const changed = JSON.parse(data as string) as string;
    const mine = changed === (scene ?? file);
    void (mine && changed === file ? openFile(file, true) : run(true)).catch(complain);
  });
  source.addEventListener('page', () => location.reload());
}

function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`moonscape ${key}`, value);
  } catch {
    // A page that may keep nothing forgets it.
  }
}

function recall(key: string): string | null {
  try {
    return localStorage.getItem(`moonscape ${key}`);
  } catch {
    return null;
  }
}

async function begin(): Promise<void> {
  const theme = recall('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  const list = $<HTMLSelectElement>('#examples');
  list.append(
    Object.assign(new Option('Examples', ''), { disabled: true }),
    ...examples.map(({ file, title, about }) => Object.assign(new Option(title, file), { title: about })),
  );
  $('#look').append(...VIEWS.map((name) => new Option(name[0].toUpperCase() + name.slice(1), name)));
  listenToView();
  listenToButtons();
  listenToSplit();
  listenToDrops();
  const config = (await fetch('config.json', { cache: 'no-store' })
    .then((response) => (response.ok ? response.json() : {}))
    .catch(() => ({}))) as Config;
  if (config.changes) listenToChanges(config.changes, config.scene);
  let broken: unknown = null;
  const shared = await scriptOf(location.href).catch((error: unknown) => ((broken = error), null));
  const asked = new URLSearchParams(location.hash.slice(1)).get('example');
  const first = config.scene ?? examples.find(({ file }) => file === asked)?.file ?? examples[0].file;
  list.value = shared === null && !config.scene ? first : '';
  await (shared === null ? openFile(first) : open('scene.lua', shared));
  if (broken) complain(broken);
}

void begin().catch(complain);
