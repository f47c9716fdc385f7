// Names a file's format by its first bytes, so that a wrong file is called by its name.

/** Signatures by format; `at` is where the bytes stand, 0 where it is left out. */
const SIGNATURES: readonly { kind: string; bytes: readonly number[]; at?: number }[] = [
  { kind: 'PNG', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { kind: 'JPEG', bytes: [0xff, 0xd8, 0xff] },
  { kind: 'WebP', bytes: ascii('WEBP'), at: 8 },
  { kind: 'TIFF', bytes: [0x49, 0x49, 0x2a, 0x00] },
  { kind: 'TIFF', bytes: [0x4d, 0x4d, 0x00, 0x2a] },
  { kind: 'BigTIFF', bytes: [0x49, 0x49, 0x2b, 0x00] },
  { kind: 'BigTIFF', bytes: [0x4d, 0x4d, 0x00, 0x2b] },
  { kind: 'GIF', bytes: ascii('GIF8') },
  { kind: 'BMP', bytes: ascii('BM') },
  { kind: 'OpenEXR', bytes: [0x76, 0x2f, 0x31, 0x01] },
  { kind: 'AVIF', bytes: ascii('ftypavif'), at: 4 },
  { kind: 'KTX 2.0', bytes: [0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a] },
  { kind: 'KTX 1.0', bytes: [0xab, 0x4b, 0x54, 0x58, 0x20, 0x31, 0x31, 0xbb] },
  { kind: 'gzip file', bytes: [0x1f, 0x8b] },
  { kind: 'ZIP archive', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { kind: 'web page', bytes: ascii('<!DOCTYPE') },
  { kind: 'web page', bytes: ascii('<!doctype') },
  { kind: 'web page', bytes: ascii('<html') },
  { kind: 'JSON file', bytes: ascii('{') },
  { kind: 'Git LFS pointer', bytes: ascii('version https://git-lfs') },
];

function ascii(text: string): number[] {
  return Array.from(text, (letter) => letter.charCodeAt(0));
}

/** The format that `bytes` start as, `empty` for none at all, or null where no known one does. */
export function identifyFile(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return 'empty';
  const found = SIGNATURES.find(({ bytes: signature, at = 0 }) =>
    signature.every((byte, i) => bytes[at + i] === byte),
  );
  return found?.kind ?? null;
}
