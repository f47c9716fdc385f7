// A binary min-heap of nodes by ratio, on typed arrays: which node splits next. Its order is a function of the pushes
// alone. Ratios go in and out through arrays: V8 may box a number that is passed to a call or returned by one, as it
// happens to inline, and a selection allocates nothing.

export class RatioHeap {
  count = 0;
  /** The ratios in heap order: the first is the least, while count is above 0. */
  ratios: Float64Array;
  /** Its one number is the ratio that push takes. */
  readonly offer = new Float64Array(1);
  private nodes: Int32Array;

  /** `capacity`: nodes it holds before it first grows. */
  constructor(capacity: number) {
    this.ratios = new Float64Array(capacity);
    this.nodes = new Int32Array(capacity);
  }

  /** Takes in a node, of the ratio in `offer`. */
  push(node: number): void {
    if (this.count === this.nodes.length) this.grow();
    const { ratios, nodes, offer } = this;
    const ratio = offer[0];
    let at = this.count++;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (ratios[above] <= ratio) break;
      ratios[at] = ratios[above];
      nodes[at] = nodes[above];
      at = above;
    }
    ratios[at] = ratio;
    nodes[at] = node;
  }

  /** Takes off the node of least ratio; only while count is above 0. */
  pop(): number {
    const { ratios, nodes } = this;
    const top = nodes[0];
    const count = --this.count;
    const ratio = ratios[count];
    const node = nodes[count];
    let at = 0;
    for (let below = 1; below < count; below = 2 * at + 1) {
      if (below + 1 < count && ratios[below + 1] < ratios[below]) below++;
      if (ratios[below] >= ratio) break;
      ratios[at] = ratios[below];
      nodes[at] = nodes[below];
      at = below;
    }
    ratios[at] = ratio;
    nodes[at] = node;
    return top;
  }

  private grow(): void {
    const { ratios, nodes } = this;
    this.ratios = new Float64Array(nodes.length * 2);
    this.nodes = new Int32Array(nodes.length * 2);
    this.ratios.set(ratios);
    this.nodes.set(nodes);
  }
}
