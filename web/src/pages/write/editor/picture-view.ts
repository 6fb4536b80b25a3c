import type { Node } from 'prosemirror-model'
import type { NodeView } from 'prosemirror-view'

/** Shows a picture of the text from its place on this device. */
export class PictureView implements NodeView {
  readonly dom: HTMLImageElement

  constructor({ attrs: { cid, alt } }: Node, urlOf: (cid: string) => Promise<string | undefined>) {
    this.dom = document.createElement('img')
    this.dom.alt = alt
    void urlOf(cid).then((url) => {
      if (url !== undefined) this.dom.src = url
    })
  }
}
