// Files that a person drops on the page: they stand in the project's source/ folder for as long as the page is open, before what the
// server has. A picture becomes the ground of a new script.

/** What can be read as ground. */
const GROUND = /\.(png|texture)$/i;
const SCRIPT = /\.lua$/i;
/** Metres a texel, and heights as a share of the longer side, until the person writes the true ones. */
const METRES_PER_TEXEL = 10;
const RELIEF = 0.12;

export class DroppedFiles {
  readonly #files = new Map<string, Blob>();

  /** A fetch that knows the dropped files below `base`. */
  fetchFrom(base: string): typeof fetch {
    return (input, init) => {
      const address = input instanceof Request ? input.url : String(input);
      const path = address.startsWith(base) ? decodeURIComponent(address.slice(base.length)) : '';
      const file = this.#files.get(path);
      return file ? Promise.resolve(new Response(file)) : fetch(input, init);
    };
  }

  /** Takes a file; answers the script that shows it, or its text if it is a script. Rejects what is neither, saying so. */
  async take(file: File): Promise<{ name: string; script: string }> {
    if (SCRIPT.test(file.name)) return { name: file.name, script: await file.text() };
    if (!GROUND.test(file.name))
      throw new Error(
        `${file.name} cannot be read as ground: a .png, a .texture or a .lua can be dropped here`,
      );
    const name = file.name.replace(/[^\w.-]+/g, '-');
    this.#files.set(`source/${name}`, file);
    return { name: 'scene.lua', script: await groundScript(name, file) };
  }
}

async function groundScript(name: string, file: Blob): Promise<string> {
  if (!/\.png$/i.test(name))
    return `-- ${name}: ground with its heights in metres.\n${terrain(`texture.load("source/${name}")`)}`;
  const { width, height } = await pngSize(file);
  const [wide, deep] = [width * METRES_PER_TEXEL, height * METRES_PER_TEXEL];
  const high = Math.round(Math.max(wide, deep) * RELIEF);
  return `-- ${name}, ${width} by ${height} texels. Write the true heights (black and white, metres) and the true size here.
local map = texture.load("source/${name}")
local ground = terrain.from_texture(map, { encoding = "gray", range = { 0, ${high} }, size = { ${wide}, ${deep} } })
${terrain('terrain.to_texture(ground)')}`;
}

const terrain = (texture: string) =>
  `entity.create("ground").component.add("Terrain", { texture = ${texture} })\n`;

/** The size that a PNG's header says (its first chunk). */
async function pngSize(file: Blob): Promise<{ width: number; height: number }> {
  const header = new DataView(await file.slice(0, 24).arrayBuffer());
  if (header.byteLength < 24 || header.getUint32(0) !== 0x89504e47) throw new Error('the file is no PNG');
  return { width: header.getUint32(16), height: header.getUint32(20) };
}
