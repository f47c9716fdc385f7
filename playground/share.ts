// A script as part of an address: packed and written in letters that links may have. The browser packs, nothing is loaded for it.

const KEY = 'lua';
/** Scripts longer than this, characters, make no link that mail and chats keep whole. */
export const LONGEST_SCRIPT = 100_000;

/** The address of this page with a script in it. */
export async function linkOf(script: string, page: string): Promise<string> {
  const packed = await pipe(new TextEncoder().encode(script), new CompressionStream('deflate-raw'));
  let text = '';
  for (const byte of packed) text += String.fromCharCode(byte);
  const link = new URL(page);
  link.hash = `${KEY}=${btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')}`;
  return link.href;
}

/** The script that an address carries; null where it carries none. Rejects where it is cut or is no script. */
export async function scriptOf(address: string): Promise<string | null> {
  const value = new URLSearchParams(new URL(address).hash.slice(1)).get(KEY);
  if (value === null) return null;
  try {
    const text = atob(value.replace(/-/g, '+').replace(/_/g, '/'));
    const packed = Uint8Array.from(text, (sign) => sign.charCodeAt(0));
    const bytes = await pipe(packed, new DecompressionStream('deflate-raw'));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error('the link is not whole: the script in it cannot be read', { cause });
  }
}

async function pipe(
  bytes: Uint8Array<ArrayBuffer>,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const writer = through.writable.getWriter();
  // An error of either end is met by reading.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = through.readable.getReader();
  for (let { done, value } = await reader.read(); !done && value; { done, value } = await reader.read()) {
    parts.push(value);
    length += value.length;
    if (length > LONGEST_SCRIPT * 4) throw new Error('too long');
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
