/** Higher documents scroll inside the frame. */
const highest = 30_000

/** Space below a document that is wider than its frame. */
const scrollBar = 16

/** The height of a document in a frame of that width. A frame with an opaque origin cannot be measured, so an invisible copy
 *  is, also without scripts and with the same policy. */
export function heightOf(html: string, width: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const frame = document.createElement('iframe')
  frame.title = 'Measures a message'
  frame.setAttribute('sandbox', 'allow-same-origin')
  frame.setAttribute('aria-hidden', 'true')
  frame.inert = true
  Object.assign(frame.style, {
    position: 'fixed',
    top: '0',
    left: '0',
    width: `${width}px`,
    height: '1px',
    border: '0',
    visibility: 'hidden',
  })
  frame.onload = () => {
    const content = frame.contentDocument
    const height = Math.max(content?.documentElement.scrollHeight ?? 0, content?.body.scrollHeight ?? 0)
    const isWide = (content?.documentElement.scrollWidth ?? 0) > width
    frame.remove()
    resolve(Math.min(highest, height + (isWide ? scrollBar : 0)))
  }
  frame.srcdoc = html
  document.body.append(frame)
  return promise
}
