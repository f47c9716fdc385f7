// Pictures as files: captures wait for the next finished frame, are drawn beside it where they are not just it, and are written as
// PNG or, what is measured, as a .texture of floats. The runtime has one of these.
import type { Assets } from './assets/assets.js';
import { MoonscapeError, refuse } from './errors.js';
import type { Host } from './host/host.js';
import {
  checkCapture,
  depthMetres,
  depthSteps,
  normalColors,
  normalFloats,
  type CaptureOptions,
  type CaptureRequest,
  type Shot,
} from './renderer/capture.js';
import type { Renderer } from './renderer/renderer.js';
import { encodePicture } from './texture/encodePicture.js';
import { Texture } from './texture/texture.js';
import type { World } from './world/world.js';

/** What captures need of a runtime. */
export interface CaptureSource {
  readonly host: Host;
  readonly assets: Assets;
  readonly renderer: Renderer;
  readonly world: World;
  readonly size: { width: number; height: number };
}

interface Waiting {
  path: string;
  request: CaptureRequest;
  /** Whose it is, if it is to go with somebody. */
  owner: object | null;
  done: () => void;
  failed: (error: unknown) => void;
}

const WHERE = 'renderer.capture';
const isTexture = (path: string) => /\.texture$/i.test(path);

export class Captures {
  private readonly waiting: Waiting[] = [];

  constructor(private readonly source: CaptureSource) {}

  /** How many wait for a frame. */
  get count(): number {
    return this.waiting.length;
  }

  /**
   * Has the next finished frame written; resolves once the file stands. What is wrong with the request is thrown at once.
   * @param owner what `drop` takes it back with
   */
  add(path: string, options: CaptureOptions, owner: object | null = null): Promise<void> {
    const place = this.source.assets.resolve(WHERE, path);
    const request = this.check(WHERE, options);
    if (!/\.png$/i.test(place) && (request.channel === 'color' || !isTexture(place)))
      refuse(
        WHERE,
        'path',
        `a file with the extension .png${request.channel === 'color' ? '' : ' or .texture'}`,
        path,
      );
    if (isTexture(place))
      for (const name of ['bits', 'step'] as const)
        if (options[name] !== undefined)
          refuse(WHERE, name, 'left out for a .texture, which holds floats', options[name]);
    return new Promise((done, failed) => this.waiting.push({ path, request, owner, done, failed }));
  }

  /** Takes back what waits, of one owner or all: no file is written, and the promises reject with `why`. */
  drop(why: string, owner?: object): void {
    for (const each of this.waiting.splice(0))
      if (owner && each.owner !== owner) this.waiting.push(each);
      else each.failed(new MoonscapeError(`${WHERE}: ${why}`));
  }

  /** Writes what waits. Files that fail do so by themselves; what the device refuses ends the frame as well. */
  async take(): Promise<void> {
    const { assets } = this.source;
    for (const { path, request, done, failed } of this.waiting.splice(0)) {
      try {
        const shot = await this.draw(request);
        if (isTexture(path)) await assets.saveTexture(textureOf(shot), path, WHERE);
        else await assets.write(WHERE, path, this.encode(shot, request));
        done();
      } catch (error) {
        failed(error);
        if (!(error instanceof MoonscapeError)) throw error;
      }
    }
  }

  /** The world as it stands, as a PNG's bytes. */
  async picture(where: string, options: CaptureOptions): Promise<Uint8Array> {
    const request = this.check(where, options);
    return this.encode(await this.draw(request), request);
  }

  private check(where: string, options: CaptureOptions): CaptureRequest {
    const { renderer, size } = this.source;
    return checkCapture(where, options, size, renderer.longestSide);
  }

  private async draw(request: CaptureRequest): Promise<Shot> {
    const { renderer, size, world } = this.source;
    const { width, height, channel, bits } = request;
    const onScreen = width === size.width && height === size.height && channel === 'color' && bits === 8;
    if (onScreen) return { ...(await renderer.readPixels()), channel };
    return renderer.capture(world, request);
  }

  private encode(shot: Shot, { bits, step }: CaptureRequest): Uint8Array {
    const { width, height, channel } = shot;
    const { deflate } = this.source.host;
    if (channel === 'color')
      return encodePicture({ width, height, data: shot.data as Uint8Array | Uint16Array }, deflate);
    if (channel === 'normal')
      return encodePicture({ width, height, data: normalColors(shot, bits) }, deflate);
    const comment = `depth along the view axis, ${step} m a step; 0: nothing stands there; 65535: that far or farther`;
    return encodePicture({ width, height, data: depthSteps(shot, step), comment }, deflate);
  }
}

function textureOf(shot: Shot): Texture {
  const { width, height } = shot;
  return shot.channel === 'depth'
    ? new Texture(width, height, 'r32f', depthMetres(shot))
    : new Texture(width, height, 'rgba32f', normalFloats(shot));
}
