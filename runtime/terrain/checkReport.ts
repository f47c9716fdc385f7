// A self-check's result as lines for a person. What `moonscape check` prints and terrainHeightfield.check hands out.
import type { PlaceKind } from './checkPlaces.js';
import type { Heightfield } from './heightfield.js';
import type { CheckFinding, CheckPair, CheckResult } from './selfCheck.js';

/** What places of a kind are called, and one of them. */
const KINDS: Record<PlaceKind, readonly [many: string, one: string]> = {
  random: ['at random', 'at random'],
  line: ['on lines between triangles', 'on a line'],
  texel: ['texel centres', 'a texel centre'],
  rim: ['at the rim', 'at the rim'],
  hole: ['at borders of holes', 'at a hole'],
  vertex: ['drawn vertices', 'a vertex'],
};

const count = new Intl.NumberFormat('en').format;

/** The first line says what was checked, the last whether all agree. */
export function reportCheck(hf: Heightfield, result: CheckResult, drawn: boolean): string[] {
  const { width, depth } = hf.size;
  const places = (Object.keys(KINDS) as PlaceKind[])
    .filter((kind) => result.places[kind] > 0)
    .map((kind) => `${count(result.places[kind])} ${KINDS[kind][0]}`);
  const { detail } = result;
  const lines = [
    `${hf.path ?? hf.guid ?? 'ground'}: ${hf.width} × ${hf.height} texels, ${width} × ${depth} m around ${hf.origin.x}, ${hf.origin.z}; seed ${result.seed}`,
    `places            ${places.join(', ')}`,
    ...result.pairs.map((pair) => `${pair.pair.padEnd(18)}${pairLine(pair, drawn)}`),
  ];
  if (detail.places > 0)
    lines.push(
      `level of detail   ${count(detail.places)} places are drawn coarser than half a texel, morphing or stitched` +
        (detail.worst ? `: up to ${metres(detail.worst.off)} off, ${placeOf(detail.worst)}` : ''),
    );
  lines.push(result.ok ? 'all agree' : 'they DISAGREE');
  return lines;
}

function pairLine({ pair, compared, empty, over, missing, worst, ok }: CheckPair, drawn: boolean): string {
  if (!drawn && pair.includes('drawn')) return 'nothing is drawn of it';
  const asked = `${count(compared)} heights, ${count(empty)} without ground`;
  if (!worst) return `${asked}: nothing to compare${drawn ? ' near enough to the camera' : ''}`;
  if (ok)
    return `${asked}: agree; worst ${metres(worst.off)} of ${metres(worst.bound)} allowed, ${placeOf(worst)}`;
  const faults = [
    over > 0 ? `${count(over)} too far apart` : '',
    missing > 0 ? `${count(missing)} where only one has ground` : '',
  ].filter(Boolean);
  return `${asked}: DISAGREE at ${faults.join(', ')}; worst ${findingOf(pair, worst)}`;
}

function findingOf(pair: string, worst: CheckFinding): string {
  const [first, second] = pair.split('/');
  const height = (y: number | null) => (y === null ? 'no ground' : `${Number(y.toPrecision(9))} m`);
  const apart = Number.isFinite(worst.off)
    ? `, ${metres(worst.off)} apart, ${metres(worst.bound)} allowed`
    : '';
  return `${first} ${height(worst.a)}, ${second} ${height(worst.b)} ${placeOf(worst)}${apart}`;
}

const placeOf = ({ x, z, kind }: CheckFinding) =>
  `at x ${Number(x.toPrecision(9))}, z ${Number(z.toPrecision(9))} (${KINDS[kind][1]})`;

const metres = (length: number) =>
  `${length === 0 || length >= 1e-2 ? Number(length.toPrecision(3)) : length.toExponential(1)} m`;
