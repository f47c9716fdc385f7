// Rapier, loaded at first need and once: a scene without bodies, colliders or questions about them never pays for it.
export type Rapier = typeof import('@dimforge/rapier3d-compat').default;

let loading: Promise<Rapier> | null = null;
let loaded: Rapier | null = null;

/** Loads and starts the engine. */
export function loadRapier(): Promise<Rapier> {
  loading ??= start();
  return loading;
}

/** The engine if it is there. */
export const rapierIfLoaded = (): Rapier | null => loaded;

async function start(): Promise<Rapier> {
  const { default: rapier } = await import('@dimforge/rapier3d-compat');
  await quietly(() => rapier.init());
  loaded = rapier;
  return rapier;
}

/** Its start hands its own bytes over in a way that its own loader warns of; that line says nothing to anyone here. */
async function quietly(work: () => Promise<void>): Promise<void> {
  const { warn } = console;
  console.warn = (...line: unknown[]) => {
    if (!String(line[0]).startsWith('using deprecated parameters for the initialization')) warn(...line);
  };
  try {
    await work();
  } finally {
    console.warn = warn;
  }
}
