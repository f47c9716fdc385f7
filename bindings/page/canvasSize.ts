// A canvas as large as its box in device pixels, exactly: what is drawn is shown without being scaled, at any zoom. Used by view.ts.

/** Has `resized` called with the canvas's size on screen in device pixels, now and whenever it changes; 0 where it is not seen. Returns what ends it. */
export function followSize(
  canvas: HTMLElement,
  resized: (width: number, height: number) => void,
): () => void {
  const observer = new ResizeObserver((entries) => {
    const [{ devicePixelContentBoxSize: exact, contentRect }] = entries.slice(-1);
    if (exact) resized(exact[0].inlineSize, exact[0].blockSize);
    // Safari tells only CSS pixels: the nearest whole number of device pixels, a fraction of one off at an odd zoom.
    else
      resized(
        Math.round(contentRect.width * devicePixelRatio),
        Math.round(contentRect.height * devicePixelRatio),
      );
  });
  try {
    observer.observe(canvas, { box: 'device-pixel-content-box' });
  } catch {
    observer.observe(canvas);
  }
  return () => observer.disconnect();
}
