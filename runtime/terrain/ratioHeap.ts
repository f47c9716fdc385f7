// A binary min-heap of nodes by ratio, on typed arrays: which node splits next. Its order is a function of the pushes
// alone.

export class RatioHeap {
  count = 0;
  private ratios: Float64Array;
  private nodes: Int32Array;

  /** `capacity`: nodes it holds before it first grows. */
  constructor(capacity: number) {
    this.ratios = new Float64Array(capacity);
    this.nodes = new Int32Array(capacity);
  }

  /** The least ratio; only while count is above 0. */
  get ratio(): number {
    return this.ratios[0];
  }

  push(ratio: number, node: number): void {
    if (this.count === this.nodes.length) this.grow();
    const { ratios, nodes } = this;
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
